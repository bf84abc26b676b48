def purge(repo, user):
    repo.find(user)
    repo.remove(user)
    repo.remove.reset_mock()
    return False
