"""Operations on pictures, one module each."""
