import { sayMoment } from '../../parts/time.tsx'
import { useNow } from './use-now.ts'
import { type DateEvent, sayEvent } from './when.ts'

/** Says when something opens, is due or closes. The absolute time is in the tooltip. */
export function WhenShown({ event, at }: { readonly event: DateEvent; readonly at: string }) {
  const moment = new Date(at)
  return (
    <time dateTime={at} title={sayMoment(at)}>
      {sayEvent(event, moment, useNow())}
    </time>
  )
}
