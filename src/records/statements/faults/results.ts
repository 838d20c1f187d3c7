import { isDuration } from '../model/times.ts'
import { boolean, type Check, checkShape, extensions, type Shape, text } from './checks.ts'

const number =
  (rule: string): Check =>
  (value, faults) => {
    if (!Number.isFinite(value)) faults.add(rule, 'be a number')
  }

const SCORE: Shape = new Map([
  ['scaled', number('XAPI-00083')],
  ['raw', number('XAPI-00082')],
  ['min', number('XAPI-00081')],
  ['max', number('XAPI-00080')],
])

const checkScore: Check = (value, faults) => {
  if (!checkShape(value, faults, 'XAPI-00079', 'a score', SCORE)) return
  // A value that is absent or not a number (already reported) becomes NaN, so that all comparisons below are false.
  const read = (key: string) => (Number.isFinite(value[key]) ? (value[key] as number) : Number.NaN)
  const [scaled, raw, min, max] = [read('scaled'), read('raw'), read('min'), read('max')]
  if (scaled < -1 || scaled > 1) faults.add('XAPI-00083', 'be between -1 and 1', 'scaled')
  if (min >= max) faults.add('XAPI-00081', 'be less than max', 'min')
  if (raw < min || raw > max) faults.add('XAPI-00082', 'be between min and max', 'raw')
}

const RESULT: Shape = new Map([
  ['score', checkScore],
  ['success', boolean('XAPI-00074')],
  ['completion', boolean('XAPI-00075')],
  ['response', text('XAPI-00076')],
  ['duration', text('XAPI-00124', 'be an ISO 8601 duration with designators, such as "PT4H35M59.14S"', isDuration)],
  ['extensions', extensions('XAPI-00078')],
])

export const checkResult: Check = (value, faults) => void checkShape(value, faults, 'XAPI-00006', 'a result', RESULT)
