/** The value of an ASCII hex digit in either case, or −1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The value of a character of base64 or base64url, or −1. */
export function base64Digit(byte: number): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x47;
  if (byte >= 0x30 && byte <= 0x39) return byte + 4;
  if (byte === 0x2b || byte === 0x2d) return 62;
  return byte === 0x2f || byte === 0x5f ? 63 : -1;
}
