import type { WriteStream } from 'node:tty'

export interface Progress {
  update: (done: number, total: number, label: string) => void
  /** Call it in any case, before anything else is printed. */
  finish: () => void
}

type Output = Pick<WriteStream, 'write' | 'isTTY' | 'columns'>

const BAR_WIDTH = 24
const REDRAW_MS = 100
const LINE_MS = 5000

/** Shows how far long work is: a bar that rewrites its line on a terminal, elsewhere a line every few seconds. */
export function startProgress(output: Output = process.stderr, now: () => number = Date.now): Progress {
  const pauseMs = output.isTTY ? REDRAW_MS : LINE_MS
  // Work that is over sooner than one pause needs no line in a log.
  let shownAt = output.isTTY ? 0 : now()
  let pending: string | undefined
  let isDrawn = false

  const draw = (line: string) => {
    output.write(output.isTTY ? `\r${line.slice(0, (output.columns || 80) - 1)}\x1b[K` : `${line}\n`)
    isDrawn = true
    pending = undefined
    shownAt = now()
  }
  return {
    update(done, total, label) {
      const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0
      const percent = `${Math.floor(share * 100)} %`.padStart(5)
      pending = output.isTTY ? `${drawBar(share)} ${percent}  ${label}` : `${percent.trim()}, ${label}`
      if (now() - shownAt >= pauseMs) draw(pending)
    },
    finish() {
      if (!output.isTTY) return
      if (pending !== undefined) draw(pending)
      if (isDrawn) output.write('\n')
      isDrawn = false
    },
  }
}

function drawBar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
}
