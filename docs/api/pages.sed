# Prepares pages for Doxygen. MAP@R is not a command.
s#([A-Za-z])@#\1\\@#g
# Sources of examples are named, not linked.
s#\[([a-z_.]+)\]\(\.\./examples/[a-z_]+\.cpp\)#`examples/\1`#g
# Pages that are not part of the API documentation are named, not linked.
s#\[([^]]+)\]\((\.\./docs/)?(reports/[a-zA-Z_]+|architecture|datasets|file_formats|guide|python|theory|training)\.md\)#\1#g
# The table of pieces leads to their documentation.
/^\| (losses|projections|encoders|information|evaluation)/ s#`([A-Za-z_]+)`#[\1](@ref projnce::\1)#g
