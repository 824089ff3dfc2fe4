"""Many acts at once: the rows of data sets, from wherever they are."""
