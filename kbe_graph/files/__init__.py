"""Reading of records, tables and streams, atomic writing of files, and access to packaged files."""
