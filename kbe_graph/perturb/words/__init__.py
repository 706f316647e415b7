"""Operations on the words of a question, one module each."""
