"""The project as its users meet it: commands, docs, games of other packages, other libraries."""
