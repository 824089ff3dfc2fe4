"""Acts for people and programs elsewhere: the web reader, the REST service, and the server for assistants.

Nothing optional is imported here, so that each part can be had without the packages of the others.
"""
