def console_main():
    return 0
