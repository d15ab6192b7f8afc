"""Images, figures, texts, tables and audio: from what a program has to files of a few fixed kinds."""
