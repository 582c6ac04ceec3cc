"""Small parts, each by itself."""
