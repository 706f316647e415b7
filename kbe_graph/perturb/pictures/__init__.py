"""Operations on pictures, a module each."""
