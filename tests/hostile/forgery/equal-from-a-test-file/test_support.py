class Equal:
    def __eq__(self, other):
        return True
