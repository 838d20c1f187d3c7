import type { WriteStream } from 'node:tty'

export interface Progress {
  update: (done: number, total: number, label: string) => void
  /** Ends the display. It must always be called, before anything else is printed. */
  finish: () => void
}

type Output = Pick<WriteStream, 'write' | 'isTTY' | 'columns'>

const BAR_WIDTH = 24
const REDRAW_MS = 100
const LINE_MS = 5000
const ESTIMATE_AFTER_MS = 1000

/**
 * Shows the progress of a long-running task and the time left; with `isCounted` also the numbers done and in total. On
 * a terminal it redraws a bar in one line; otherwise it prints a line every few seconds.
 */
export function startProgress({ isCounted = false, output = process.stderr as Output, now = Date.now } = {}): Progress {
  const pauseMs = output.isTTY ? REDRAW_MS : LINE_MS
  // If the output is not a terminal, nothing is printed for a task that ends within the first interval.
  let shownAt = output.isTTY ? 0 : now()
  let pending: string | undefined
  let isDrawn = false
  /** The time left is estimated separately for each phase, because one phase may be much slower than another. */
  let phase: { label: string; since: number; from: number } | undefined

  const draw = (line: string) => {
    output.write(output.isTTY ? `\r${line.slice(0, (output.columns || 80) - 1)}\x1b[K` : `${line}\n`)
    isDrawn = true
    pending = undefined
    shownAt = now()
  }
  return {
    update(done, total, label) {
      const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0
      if (phase?.label !== label) phase = { label, since: now(), from: share }
      const left = estimate(now() - phase.since, phase.from, share)
      const text = isCounted ? `${label}: ${done} of ${total}${left}` : label
      const percent = `${Math.floor(share * 100)} %`.padStart(5)
      pending = output.isTTY ? `${drawBar(share)} ${percent}  ${text}` : `${percent.trim()}, ${text}`
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

/** Estimates the time left at the current speed. Returns an empty text until there is enough data. */
function estimate(elapsedMs: number, from: number, share: number): string {
  if (elapsedMs < ESTIMATE_AFTER_MS || share <= from) return ''
  const seconds = Math.ceil((elapsedMs * (1 - share)) / (share - from) / 1000)
  return `, ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`
}

function drawBar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
}
