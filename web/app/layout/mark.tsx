/** The logo: a delta wing that climbs out of its box. The favicon is the same drawing. */
export const Mark = ({ size = 28 }: { readonly size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#1b5ea6" />
    <path d="M16 5.5 25.5 26 16 21.2Z" fill="#b7d8f8" />
    <path d="M16 5.5 6.5 26 16 21.2Z" fill="#fff" />
  </svg>
)
