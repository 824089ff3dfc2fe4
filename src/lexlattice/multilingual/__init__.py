"""One act in several languages: align its versions, and summarize the same provisions in each of them."""
