import type { Notes } from './refusals.ts'
import { decimalIn, defined, type Elements, type Family, quote, textOf, uriOf, type Values } from './scorm-elements.ts'
import { ADL_MAPS, IMS_MAPS, type MapName, type Objective, type ObjectiveMap } from './scorm-vocabulary.ts'
import type { Placed } from './xml.ts'

interface Context {
  readonly elements: Elements
  readonly notes: Notes
  readonly values: Values
}

/** Reads the objectives of IMS. */
export function readObjectives(
  part: Placed,
  { elements, notes, values }: Context,
): { primary: Objective | undefined; others: Objective[]; ids: ReadonlySet<string | undefined> } {
  const primary = elements.first(part, 'primaryObjective', 'imsss')
  const ids = new Set<string | undefined>()
  const read = (placed: Placed): Objective | undefined => {
    const objectiveID = uriOf(placed.element, 'objectiveID')
    if (placed !== primary && (objectiveID === undefined || ids.has(objectiveID))) {
      const what =
        objectiveID === undefined ? 'has no objectiveID' : `has the objectiveID ${quote(objectiveID)} of another`
      notes.add(placed.pointer, `The objective in line ${placed.element.line} ${what}, and was ignored`)
      return undefined
    }
    ids.add(objectiveID)
    const measure = textOf(elements.first(placed, 'minNormalizedMeasure', 'imsss'))
    const minNormalizedMeasure = measure === undefined ? undefined : decimalIn(measure, -1, 1)
    if (measure !== undefined && minNormalizedMeasure === undefined)
      notes.add(placed.pointer, `The minNormalizedMeasure ${quote(measure)} is not a number from -1 to 1`)
    const maps = mergeMaps([], readMaps(placed, 'imsss', IMS_MAPS, { elements, notes, values }))
    return {
      ...defined({ objectiveID, satisfiedByMeasure: values.boolean(placed, 'satisfiedByMeasure') }),
      ...defined({ minNormalizedMeasure }),
      ...(maps.length > 0 && { maps }),
    }
  }
  const first = primary && read(primary)
  return { primary: first, others: elements.all(part, 'objective', 'imsss').flatMap((one) => read(one) ?? []), ids }
}

/** Reads the maps of ADL's extension by the id of their objective. */
export function readAddedMaps(part: Placed, context: Context): Map<string, ObjectiveMap[]> {
  const found = new Map<string, ObjectiveMap[]>()
  for (const objective of context.elements.all(part, 'objective', 'adlseq')) {
    const id = uriOf(objective.element, 'objectiveID')
    if (id === undefined) continue
    const maps = readMaps(objective, 'adlseq', ADL_MAPS, context)
    const known = found.get(id)
    if (!known) found.set(id, maps)
    else for (const map of maps) known.push(map)
  }
  return found
}

/** Reads the maps of an objective. By default they read everything and write nothing. */
function readMaps(
  objective: Placed,
  family: Family,
  names: readonly MapName[],
  { elements, notes, values }: Context,
): ObjectiveMap[] {
  return elements.all(objective, 'mapInfo', family).flatMap((map) => {
    const targetObjectiveID = uriOf(map.element, 'targetObjectiveID')
    if (targetObjectiveID === undefined) {
      notes.add(map.pointer, `The mapInfo in line ${map.element.line} has no targetObjectiveID, and was ignored`)
      return []
    }
    const read = names.filter((name) => values.boolean(map, `read${name}`) ?? true)
    return {
      targetObjectiveID,
      read,
      write: names.filter((name) => values.boolean(map, `write${name}`) ?? false),
    }
  })
}

/** Merges maps to the same global objective. */
export function mergeMaps(first: readonly ObjectiveMap[], second: readonly ObjectiveMap[]): ObjectiveMap[] {
  const merged = new Map(first.map((map) => [map.targetObjectiveID, map]))
  for (const map of second) {
    const known = merged.get(map.targetObjectiveID)
    const both = (name: 'read' | 'write') => [...new Set([...(known?.[name] ?? []), ...map[name]])]
    merged.set(map.targetObjectiveID, { ...map, read: both('read'), write: both('write') })
  }
  return [...merged.values()]
}
