"""One act in several languages: alignment of its versions, and one summary for all of them."""
