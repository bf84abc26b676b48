from test_support import slugify
