import { useElementSize } from '@mantine/hooks'
import { useId, useRef } from 'react'
import { dashboardWords } from '../words.ts'
import {
  type Attempt,
  type Band,
  FOLD_PX,
  foldLabelsOf,
  labelsOf,
  type Mark,
  markTextsOf,
  pan,
  type Span,
  sayGap,
  scaleOf,
  type TimelineEntry,
  widen,
  zoom,
} from './timeline-model.ts'
import classes from './timeline-picture.module.css'

const { timeline: say } = dashboardWords
const AXIS_PX = 28
const BAND_PX = 90
/** Vertical positions and heights inside a band, below its name: notes, scores, bar, statements. */
const [NOTE_Y, MARK_Y, BAR_Y, BAR_PX, TICK_Y, TICK_PX] = [26, 40, 49, 20, 73, 9]
const LEAST_PX = 3

interface TimelinePictureProps {
  readonly bands: readonly Band[]
  readonly span: Span
  readonly onSpan: (span: Span) => void
  readonly onOpen: (entry: TimelineEntry) => void
}

/**
 * Draws the bands to scale, except that long times without activity are folded into marked breaks. Buttons and a table
 * do the same for people who cannot see it or use a pointer.
 */
export function TimelinePicture({ bands, span, onSpan, onOpen }: TimelinePictureProps) {
  const { ref, width } = useElementSize()
  const hatch = useId()
  const drag = useRef<{ x: number; span: Span }>(undefined)
  const height = AXIS_PX + bands.length * BAND_PX
  const scale = scaleOf(bands, span, width)
  const { xOf } = scale
  const labels = labelsOf(scale, span, width)
  // A drag across the picture moves by the time that is drawn to scale, not by the time in the breaks.
  const panBy = (from: Span, share: number) => onSpan(pan(from, share * (scale.shownMs / (span.to - span.from))))
  return (
    // The height is reserved before the width is measured, so that the page does not move.
    <div ref={ref} className={classes.box} style={{ height }}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          aria-hidden
          className={classes.picture}
          onWheel={({ deltaY, deltaX, ctrlKey }) => {
            if (ctrlKey) onSpan(zoom(span, deltaY > 0 ? 1.25 : 0.8, scale.timeAt(0.5)))
            else if (Math.abs(deltaX) > Math.abs(deltaY)) panBy(span, deltaX / width)
          }}
          onPointerDown={({ clientX }) => {
            drag.current = { x: clientX, span }
          }}
          onPointerMove={({ clientX, buttons }) => {
            if (buttons === 1 && drag.current && Math.abs(clientX - drag.current.x) > 3)
              panBy(drag.current.span, (drag.current.x - clientX) / width)
          }}
          onPointerUp={() => {
            drag.current = undefined
          }}
        >
          <defs>
            <pattern id={hatch} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width={6} height={6} className={classes.hatchGround} />
              <rect width={2.5} height={6} className={classes.hatchLine} />
            </pattern>
          </defs>
          {labels.map(({ at, x, text }) => (
            <g key={at}>
              <line x1={x} x2={x} y1={AXIS_PX - 6} y2={height} className={classes.grid} />
              <text x={x + 4} y={14} className={classes.axis}>
                {text}
              </text>
            </g>
          ))}
          {/* Breaks are behind the bands, so that they hide no score of an attempt before them. */}
          {scale.folds.map(({ from, to, x }) => (
            <g key={from}>
              <title>{say.fold(sayGap(to - from))}</title>
              <rect x={x} y={AXIS_PX - 6} width={FOLD_PX} height={height - AXIS_PX + 6} className={classes.fold} />
            </g>
          ))}
          {foldLabelsOf(scale, labels).map(({ from, x, text }) => (
            <text key={from} x={x} y={14} textAnchor="middle" className={classes.axis}>
              {text}
            </text>
          ))}
          {bands.map((band, i) => (
            <g key={band.lessonId} transform={`translate(0 ${AXIS_PX + i * BAND_PX})`}>
              <line x1={0} x2={width} y1={0} y2={0} className={classes.line} />
              <text x={4} y={15} className={classes.name}>
                {band.name}
              </text>
              {band.attempts.map((one) => (
                <AttemptBar key={one.id} attempt={one} xOf={xOf} hatch={hatch} onChoose={() => onSpan(widen(one))} />
              ))}
              <Marks marks={band.marks} xOf={xOf} width={width} onOpen={onOpen} />
            </g>
          ))}
        </svg>
      )}
    </div>
  )
}

interface AttemptBarProps {
  readonly attempt: Attempt
  readonly xOf: (at: number) => number
  readonly hatch: string
  readonly onChoose: () => void
}

const AttemptBar = ({ attempt, xOf, hatch, onChoose }: AttemptBarProps) => {
  const [x, end] = [xOf(attempt.from), xOf(attempt.to)]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: people without a pointer use the buttons instead
    <g onDoubleClick={onChoose} className={classes.attempt}>
      <title>{say.attempt(attempt.number)}</title>
      <line
        x1={x}
        x2={Math.max(end, x + LEAST_PX)}
        y1={BAR_Y + BAR_PX / 2}
        y2={BAR_Y + BAR_PX / 2}
        className={classes.thread}
      />
      {attempt.intervals.map(({ kind, from, to }) => (
        <rect
          key={`${kind}-${from}`}
          x={xOf(from)}
          y={BAR_Y}
          width={Math.max(LEAST_PX, xOf(to) - xOf(from))}
          height={BAR_PX}
          rx={2}
          {...(kind === 'idle' ? { fill: `url(#${hatch})` } : { className: classes.progress })}
        />
      ))}
      {end - x > 18 && (
        <text x={Math.max(x, 0) + 6} y={BAR_Y + 14} className={classes.number}>
          {attempt.number}
        </text>
      )}
    </g>
  )
}

interface MarksProps {
  readonly marks: readonly Mark[]
  readonly xOf: (at: number) => number
  readonly width: number
  readonly onOpen: (entry: TimelineEntry) => void
}

const Marks = ({ marks, xOf, width, onOpen }: MarksProps) => {
  const texts = markTextsOf(marks, xOf, width)
  return marks.map((mark, i) => {
    const { at, kind, entry, text, result } = mark
    const x = xOf(at)
    const place = texts.get(mark)
    const key = `${kind}-${at}-${i}`
    if (kind === 'statement')
      return (
        // biome-ignore lint/a11y/noStaticElementInteractions: as above
        <g key={key} className={classes.mark} onClick={() => onOpen(entry)}>
          <rect x={x - 4} y={TICK_Y - 2} width={8} height={TICK_PX + 4} fill="transparent" />
          <line x1={x} x2={x} y1={TICK_Y} y2={TICK_Y + TICK_PX} className={classes.tick} />
        </g>
      )
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: as above
      <g key={key} className={classes.mark} onClick={() => onOpen(entry)} data-kind={kind} data-result={result}>
        {kind === 'note' ? (
          <rect x={x - 5} y={NOTE_Y - 5} width={10} height={10} rx={2} />
        ) : (
          <circle cx={x} cy={MARK_Y} r={4.5} />
        )}
        {place && (
          <text x={place.x} y={MARK_Y + 4} textAnchor={place.anchor}>
            {text}
          </text>
        )}
      </g>
    )
  })
}
