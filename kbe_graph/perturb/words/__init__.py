"""Operations on the words of a question, a module each."""
