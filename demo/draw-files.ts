import { writeFileSync } from 'node:fs'
import sharp from 'sharp'

/** Draws the two files of the demo course: `node demo/draw-files.ts`. make-demo.ts copies them into demo.json. */

const pathOf = (name: string): URL => new URL(`files/${name}`, import.meta.url)

const LEGS = [
  ['Upwind', 700, 330, 0],
  ['Crosswind', 868, 235, 90],
  ['Downwind', 480, 118, 0],
  ['Base', 92, 235, 90],
  ['Final', 240, 330, 0],
] as const

const circuit = `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="480" font-family="DejaVu Sans, sans-serif">
  <rect width="960" height="480" fill="#dcebd3"/>
  <rect x="330" y="340" width="300" height="26" fill="#5b6470"/>
  <path d="M350 353H610" stroke="#fff" stroke-width="3" stroke-dasharray="18 12"/>
  <text x="340" y="395" font-size="20" fill="#334">09</text><text x="592" y="395" font-size="20" fill="#334">27</text>
  <path d="M630 353H840V140H120V353H330" fill="none" stroke="#1c5fa8" stroke-width="5" stroke-linejoin="round"/>
  <path d="M705 341l26 12-26 12zM852 265l-12-26-12 26zM505 128l-26 12 26 12zM108 230l12 26 12-26zM230 341l26 12-26 12z" fill="#1c5fa8"/>
  ${LEGS.map(([name, x, y, turn]) => `<text x="${x}" y="${y}" font-size="24" fill="#1b2733" text-anchor="middle" transform="rotate(${turn} ${x} ${y})">${name}</text>`).join('\n  ')}
  <text x="480" y="180" font-size="20" fill="#1b2733" text-anchor="middle">1,000 ft above the airfield</text>
  <text x="480" y="440" font-size="20" fill="#1b2733" text-anchor="middle">Left-hand circuit, runway 09</text>
</svg>`

const CHECKLIST: readonly (readonly [heading: string, items: readonly string[]])[] = [
  ['Before starting the engine', ['Seats and belts: secure', 'Brakes: set', 'Fuel selector: both', 'Avionics: off']],
  ['Start', ['Mixture: rich', 'Throttle: open 1 cm', 'Area: clear', 'Ignition: start', 'Oil pressure: green']],
  ['Before take-off', ['Controls: free and correct', 'Magnetos: checked at 1,700 rpm', 'Trim: take-off', 'Flaps: up']],
  ['After landing', ['Flaps: up', 'Carburettor heat: cold', 'Landing light: off', 'Trim: take-off']],
]

/** Writes a PDF with one page of text and boxes (ISO 32000-1). */
function makePdf(): Buffer {
  const lines: string[] = ['BT /F2 22 Tf 60 780 Td (Cessna 172: cockpit checklist) Tj ET']
  let y = 740
  for (const [heading, items] of CHECKLIST) {
    lines.push(`BT /F2 14 Tf 60 ${y} Td (${heading}) Tj ET`)
    for (const item of items) {
      y -= 24
      lines.push(`62 ${y - 2} 11 11 re S`, `BT /F1 12 Tf 84 ${y} Td (${item}) Tj ET`)
    }
    y -= 40
  }
  lines.push('BT /F1 9 Tf 60 50 Td (Sandhills Aviation School. For training only.) Tj ET')
  const drawn = lines.join('\n')
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} >>`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>',
    `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    '<< /Title (Cockpit checklist) >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const offset = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R /Info 7 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

writeFileSync(
  pathOf('circuit.png'),
  await sharp(Buffer.from(circuit)).png({ palette: true, colours: 32, compressionLevel: 9 }).toBuffer(),
)
writeFileSync(pathOf('checklist.pdf'), makePdf())
