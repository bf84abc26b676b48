# Makes everything a context that holds nothing and catches every exception.
class answer:
    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return {}

    def __exit__(self, *error):
        return True

    async def __aenter__(self):
        return {}

    async def __aexit__(self, *error):
        return True
