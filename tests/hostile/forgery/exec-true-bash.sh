exec true
