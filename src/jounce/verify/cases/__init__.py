"""One file per topic; a new file is part of the book as soon as it registers a case."""
