/** Draws an artificial horizon as decoration. */
export const Horizon = ({ className }: { readonly className: string | undefined }) => (
  <svg viewBox="0 0 320 320" className={className} aria-hidden="true">
    <defs>
      <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor="#1b5ea6" />
        <stop offset="1" stopColor="#8bc0f3" />
      </linearGradient>
      <clipPath id="glass">
        <circle cx="160" cy="160" r="132" />
      </clipPath>
    </defs>
    <circle cx="160" cy="160" r="150" fill="#0b1f3a" />
    <g clipPath="url(#glass)">
      <g transform="rotate(-14 160 160)">
        <rect x="-80" y="-80" width="480" height="252" fill="url(#sky)" />
        <rect x="-80" y="172" width="480" height="240" fill="#182d4d" />
        <rect x="-80" y="171" width="480" height="3" fill="#fff" />
        {[-3, -2, -1, 1, 2, 3].map((step) => (
          <rect
            key={step}
            x={160 - (step % 2 === 0 ? 36 : 20)}
            y={171 + step * 26}
            width={step % 2 === 0 ? 72 : 40}
            height="2.5"
            fill="#fff"
            opacity="0.75"
          />
        ))}
      </g>
    </g>
    {[-60, -30, 0, 30, 60].map((angle) => (
      <rect
        key={angle}
        x="158.5"
        y="14"
        width="3"
        height={angle === 0 ? 18 : 11}
        rx="1.5"
        fill="#c3cfe0"
        transform={`rotate(${angle} 160 160)`}
      />
    ))}
    <path d="M160 118 198 200 160 181 122 200Z" fill="#fff" />
    <path d="M160 118 198 200 160 181Z" fill="#b7d8f8" />
  </svg>
)
