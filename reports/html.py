def write_html(records, path):
    return path
