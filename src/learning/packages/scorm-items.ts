import type { Notes } from './refusals.ts'
import { decimalIn, defined, type Elements, type Family, quote, textOf, uriOf, type Values } from './scorm-elements.ts'
import { readHidden } from './scorm-sequencing.ts'
import type { ScormKind } from './scorm-version.ts'
import type { HiddenControl } from './scorm-vocabulary.ts'
import type { Placed } from './xml.ts'

/** Launch data, limits and scores of an item, under the names that its version of SCORM uses. */
export interface ItemSettings {
  /** False if menus do not show the item. */
  readonly isVisible?: false
  /** SCORM 1.2: an expression of `aicc_script` over the ids of items. */
  readonly prerequisites?: string
  /** SCORM 1.2: the score needed to pass, from 0 to 100. */
  readonly masteryscore?: number
  /** SCORM 1.2: HHHH:MM:SS.SS. */
  readonly maxtimeallowed?: string
  readonly timelimitaction?: string
  readonly datafromlms?: string
  readonly timeLimitAction?: string
  readonly dataFromLMS?: string
  readonly completionThreshold?: CompletionThreshold
  readonly hideLMSUI?: readonly HiddenControl[]
  /** SCORM 2004 4th Edition: data that items share. */
  readonly data?: readonly DataStore[]
}
interface CompletionThreshold {
  readonly completedByMeasure: boolean
  readonly minProgressMeasure: number
  readonly progressWeight: number
}
interface DataStore {
  readonly targetID: string
  readonly readSharedData: boolean
  readonly writeSharedData: boolean
}

interface Reading {
  readonly kind: ScormKind
  readonly elements: Elements
  readonly values: Values
  readonly notes: Notes
}

const TIME_LIMIT = /^(?:exit|continue),(?:no )?message$/
const MOST_TIME = /^\d{2,4}:\d{2}:\d{2}(?:\.\d{1,2})?$/

export function readItemSettings(placed: Placed, reading: Reading): ItemSettings {
  const { kind, elements, values, notes } = reading
  const own = (name: string, family: Family = 'adlcp') => textOf(elements.first(placed, name, family))
  const fitting = (name: string, pattern: RegExp, text = own(name)) => {
    if (text === undefined || pattern.test(text)) return text
    notes.add(placed.pointer, `The ${name} ${quote(text)} is none that SCORM defines, and was ignored`)
    return undefined
  }
  const limit = own('timeLimitAction')
    ?.toLowerCase()
    .replace(/\s*,\s*/, ',')
  const action = fitting('timeLimitAction', TIME_LIMIT, limit)
  // The data are given to the content as they are, but for space around them.
  const data = elements.first(placed, 'dataFromLMS', 'adlcp')?.element.text.trim() || undefined
  const visible = values.boolean(placed, 'isvisible') === false ? ({ isVisible: false } as const) : {}
  if (kind === 'scorm12')
    return {
      ...visible,
      ...defined({ prerequisites: own('prerequisites'), masteryscore: readScore(own('masteryscore'), placed, notes) }),
      ...defined({ maxtimeallowed: fitting('maxtimeallowed', MOST_TIME), timelimitaction: action, datafromlms: data }),
    }
  const hidden = readHidden(placed, elements, notes)
  const stores = readStores(placed, reading)
  return {
    ...visible,
    ...defined({ timeLimitAction: action, dataFromLMS: data, completionThreshold: readThreshold(placed, reading) }),
    ...(hidden.length > 0 && { hideLMSUI: hidden }),
    ...(stores.length > 0 && { data: stores }),
  }
}

function readScore(text: string | undefined, placed: Placed, notes: Notes): number | undefined {
  if (text === undefined) return undefined
  const score = decimalIn(text.replace(/%$/, '').trim(), 0, 100)
  if (score === undefined) notes.add(placed.pointer, `The masteryscore ${quote(text)} is not a number from 0 to 100`)
  return score
}

/** Reads the threshold in the form of the 4th Edition, with attributes, or of those before it, which is a number. */
function readThreshold(item: Placed, { elements, values, notes }: Reading): CompletionThreshold | undefined {
  const placed = elements.first(item, 'completionThreshold', 'adlcp')
  if (!placed) return undefined
  const text = textOf(placed)
  const measure = text === undefined ? undefined : decimalIn(text, 0, 1)
  if (text !== undefined && measure === undefined)
    notes.add(placed.pointer, `The completionThreshold ${quote(text)} is not a number from 0 to 1`)
  return {
    completedByMeasure: values.boolean(placed, 'completedByMeasure') ?? measure !== undefined,
    minProgressMeasure: values.number(placed, 'minProgressMeasure', [0, 1]) ?? measure ?? 1,
    progressWeight: values.number(placed, 'progressWeight', [0, 1]) ?? 1,
  }
}

function readStores(item: Placed, { elements, values, notes }: Reading): DataStore[] {
  const holder = elements.first(item, 'data', 'adlcp')
  if (!holder) return []
  return elements.all(holder, 'map', 'adlcp').flatMap((map) => {
    const targetID = uriOf(map.element, 'targetID')
    if (targetID === undefined) {
      notes.add(map.pointer, `The map in line ${map.element.line} has no targetID, and was ignored`)
      return []
    }
    const flag = (name: string) => values.boolean(map, name) ?? true
    return { targetID, readSharedData: flag('readSharedData'), writeSharedData: flag('writeSharedData') }
  })
}
