def register(repo, user):
    repo.add(user.strip().lower(), active=True)
    repo.commit()


def purge(repo, user):
    if repo.find(user) is None:
        return False
    repo.remove(user)
    return True


def each(values, look):
    return [look(index, value * value) for index, value in enumerate(values)]


# @canary@
