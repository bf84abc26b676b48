print("wrong")
