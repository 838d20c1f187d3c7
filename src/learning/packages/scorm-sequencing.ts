import type { Faults, Notes } from './refusals.ts'
import {
  attributeOf,
  defined,
  type Elements,
  type Family,
  idOf,
  oneOf,
  quote,
  textOf,
  uriOf,
  type Values,
} from './scorm-elements.ts'
import { mergeMaps, readAddedMaps, readObjectives } from './scorm-objectives.ts'
import {
  ACTIONS,
  CHILDREN,
  CONDITIONS,
  CONSTRAINED,
  CONTROLS,
  DELIVERY,
  DURATION,
  DURATION_LIMITS,
  type Flags,
  HIDDEN,
  type HiddenControl,
  type Objective,
  REQUIRED,
  REQUIRED_FOR,
  ROLLUP_ACTIONS,
  ROLLUP_CONDITIONS,
  type RollupRule,
  type Sequencing,
  type SequencingRule,
  TIME,
  TIME_LIMITS,
  TIMING,
} from './scorm-vocabulary.ts'
import type { Placed, XmlElement } from './xml.ts'

/** The children of a sequencing element, of which an item can replace each one of its collection's. */
const PARTS = {
  controlMode: 'imsss',
  sequencingRules: 'imsss',
  limitConditions: 'imsss',
  auxiliaryResources: 'imsss',
  rollupRules: 'imsss',
  objectives: 'imsss',
  randomizationControls: 'imsss',
  deliveryControls: 'imsss',
  constrainedChoiceConsiderations: 'adlseq',
  rollupConsiderations: 'adlseq',
} as const satisfies Record<string, Family>
type PartName = keyof typeof PARTS | 'adlObjectives'
type Parts = ReadonlyMap<PartName, Placed>

/** Sequencing elements of collections that may refer to each other: SCORM allows one level. */
const MOST_REFERENCES = 10

/** Reads the sequencing of items, with that of the collections that they refer to. */
export class SequencingReader {
  readonly #elements: Elements
  readonly #notes: Notes
  readonly #faults: Faults
  readonly #values: Values
  readonly #context: { readonly elements: Elements; readonly notes: Notes; readonly values: Values }
  readonly #collection = new Map<string, Placed>()
  /** Results by element, because many items share the elements of a collection. */
  readonly #read = new Map<XmlElement, unknown>()
  readonly #numbers = new Map<XmlElement, number>()
  /** Results of elements that were read together, by their names and numbers. */
  readonly #combined = new Map<string, unknown>()

  constructor(manifest: Placed, context: { elements: Elements; notes: Notes; faults: Faults; values: Values }) {
    this.#elements = context.elements
    this.#notes = context.notes
    this.#faults = context.faults
    this.#values = context.values
    this.#context = context
    for (const collection of this.#elements.all(manifest, 'sequencingCollection', 'imsss'))
      for (const sequencing of this.#elements.all(collection, 'sequencing', 'imsss')) {
        const id = idOf(sequencing.element, 'ID')
        if (id === undefined) this.#notes.add(sequencing.pointer, 'A sequencing element of a collection has no ID')
        else if (this.#collection.has(id))
          this.#notes.add(
            sequencing.pointer,
            `The ID ${quote(id)} is used by several sequencing elements; the first counts`,
          )
        else this.#collection.set(id, sequencing)
      }
  }

  /** Reads the sequencing of an item or an organisation. */
  read(holder: Placed): Sequencing | undefined {
    const sequencing = this.#elements.first(holder, 'sequencing', 'imsss')
    if (!sequencing) return undefined
    const parts = this.#collect(sequencing)
    if (parts.size === 0) return undefined
    const once = <T>(name: PartName, read: (part: Placed) => T): T | undefined => {
      const part = parts.get(name)
      return part && this.#once(part, read)
    }
    const rules = once('sequencingRules', (part) => ({
      ...this.#rules(part, 'preConditionRule'),
      ...this.#rules(part, 'exitConditionRule'),
      ...this.#rules(part, 'postConditionRule'),
    }))
    const found = {
      controlMode: once('controlMode', (part) => this.#flags(part, CONTROLS)),
      constrainedChoice: once('constrainedChoiceConsiderations', (part) => this.#flags(part, CONSTRAINED)),
      deliveryControls: once('deliveryControls', (part) => this.#flags(part, DELIVERY)),
      limitConditions: once('limitConditions', (part) => this.#limits(part)),
      rollup: once('rollupRules', (part) => this.#rollup(part)),
      rollupConsiderations: once('rollupConsiderations', (part) => this.#considerations(part)),
      randomization: once('randomizationControls', (part) => this.#randomization(part)),
      auxiliaryResources: once('auxiliaryResources', (part) => this.#auxiliary(part)),
    }
    const [objectives, ids] = this.#combine(parts, ['objectives', 'adlObjectives'], () => this.#objectives(parts))
    this.#combine(parts, ['sequencingRules', 'objectives'], () => this.#noteUnknown(parts, rules, ids))
    return { ...defined(found), ...rules, ...objectives }
  }

  #combine<T>(parts: Parts, names: readonly PartName[], read: () => T): T {
    const numbers = names.map((name) => {
      const element = parts.get(name)?.element
      if (!element) return `${name}:`
      const number = this.#numbers.get(element) ?? this.#numbers.size
      this.#numbers.set(element, number)
      return `${name}:${number}`
    })
    const key = numbers.join()
    if (!this.#combined.has(key)) this.#combined.set(key, read())
    return this.#combined.get(key) as T
  }

  #once<T>(part: Placed, read: (part: Placed) => T): T {
    if (!this.#read.has(part.element)) this.#read.set(part.element, read(part))
    return this.#read.get(part.element) as T
  }

  /** Collects the parts of a sequencing element. Its own replace those of the collection (CAM 5.1.1). */
  #collect(sequencing: Placed): Parts {
    const chain: Placed[] = [sequencing]
    for (let id = idOf(sequencing.element, 'IDRef'); id !== undefined; ) {
      const next = this.#collection.get(id)
      if (!next) {
        this.#notes.add(sequencing.pointer, `IDRef names ${quote(id)}, which is in no sequencing collection`)
        break
      }
      if (chain.length > MOST_REFERENCES || chain.some(({ element }) => element === next.element)) {
        this.#faults.add(
          `${sequencing.pointer}/IDRef`,
          undefined,
          'not refer to itself',
          `The sequencing ${quote(id)} of a collection refers to itself, directly or through others`,
        )
        break
      }
      chain.push(next)
      id = idOf(next.element, 'IDRef')
    }
    return new Map(chain.reverse().flatMap((one) => [...this.#partsOf(one)]))
  }

  #partsOf(sequencing: Placed): Parts {
    return this.#once(sequencing, ({ element, pointer }) => {
      const parts = new Map<PartName, Placed>()
      for (const child of element.children) {
        const name = this.#partOf(child)
        if (name) parts.set(name, { element: child, pointer: `${pointer}/${child.name}` })
      }
      return parts
    })
  }

  #partOf(child: XmlElement): PartName | undefined {
    // Both IMS and ADL have an element with this name.
    if (child.name === 'objectives' && /adlseq/i.test(child.namespace)) return 'adlObjectives'
    for (const name in PARTS)
      if (this.#elements.isNamed(child, name, PARTS[name as keyof typeof PARTS])) return name as PartName
    return undefined
  }

  #flags<T extends string>(part: Placed, names: readonly T[]): Flags<T> {
    return defined(Object.fromEntries(names.map((name) => [name, this.#values.boolean(part, name)]))) as Flags<T>
  }

  #rules(part: Placed, kind: keyof typeof ACTIONS) {
    const rules = this.#elements.all(part, kind, 'imsss').flatMap((rule) => {
      const action = this.#action(rule, 'ruleAction', ACTIONS[kind])
      const holder = this.#elements.first(rule, 'ruleConditions', 'imsss')
      const conditions = this.#elements.all(holder ?? rule, 'ruleCondition', 'imsss').map((one) => {
        const condition = this.#values.choice(one, 'condition', CONDITIONS)
        const referencedObjective = uriOf(one.element, 'referencedObjective')
        const measureThreshold = this.#values.number(one, 'measureThreshold', [-1, 1])
        return condition && { ...this.#negation(one), condition, ...defined({ referencedObjective, measureThreshold }) }
      })
      const combination = (holder && this.#values.choice(holder, 'conditionCombination', ['all', 'any'])) ?? 'all'
      return this.#keep(rule, { action, combination, conditions }) ?? []
    })
    return rules.length === 0 ? {} : { [`${kind}s`]: rules }
  }

  #negation = (condition: Placed): { isNegated?: true } =>
    this.#values.choice(condition, 'operator', ['noOp', 'not']) === 'not' ? { isNegated: true } : {}

  #action<T extends string>(rule: Placed, name: string, actions: readonly T[]): T | undefined {
    const action = this.#elements.first(rule, name, 'imsss')
    return action && this.#values.choice(action, 'action', actions)
  }

  /** Keeps a rule only if its action and conditions could be read. A wrong rule would be worse than none. */
  #keep<A, C, R extends { action: A | undefined; conditions: readonly (C | undefined)[] }>(rule: Placed, parts: R) {
    const { action, conditions } = parts
    const known = conditions.filter((one) => one !== undefined)
    if (action !== undefined && known.length > 0 && known.length === conditions.length)
      return { ...parts, action, conditions: known as NonNullable<R['conditions'][number]>[] }
    const what = action === undefined ? 'action' : 'condition'
    this.#notes.add(
      rule.pointer,
      `The <${rule.element.name}> in line ${rule.element.line} has no ${what} that SCORM defines, and was ignored`,
    )
    return undefined
  }

  #rollup(part: Placed): NonNullable<Sequencing['rollup']> {
    const rules = this.#elements.all(part, 'rollupRule', 'imsss').flatMap((rule): RollupRule[] => {
      const action = this.#action(rule, 'rollupAction', ROLLUP_ACTIONS)
      const holder = this.#elements.first(rule, 'rollupConditions', 'imsss')
      const conditions = this.#elements.all(holder ?? rule, 'rollupCondition', 'imsss').map((one) => {
        const condition = this.#values.choice(one, 'condition', ROLLUP_CONDITIONS)
        return condition && { ...this.#negation(one), condition }
      })
      const combination = (holder && this.#values.choice(holder, 'conditionCombination', ['all', 'any'])) ?? 'any'
      const childActivitySet = this.#values.choice(rule, 'childActivitySet', CHILDREN) ?? 'all'
      const minimumCount = this.#values.count(rule, 'minimumCount')
      const minimumPercent = this.#values.number(rule, 'minimumPercent', [0, 1])
      const kept = this.#keep(rule, { action, combination, conditions })
      return kept ? [{ ...kept, childActivitySet, ...defined({ minimumCount, minimumPercent }) }] : []
    })
    return {
      ...this.#flags(part, ['rollupObjectiveSatisfied', 'rollupProgressCompletion']),
      ...defined({ objectiveMeasureWeight: this.#values.number(part, 'objectiveMeasureWeight', [0, 1]) }),
      rules,
    }
  }

  #considerations(part: Placed): Sequencing['rollupConsiderations'] {
    return defined({
      ...Object.fromEntries(REQUIRED_FOR.map((name) => [name, this.#values.choice(part, name, REQUIRED)])),
      measureSatisfactionIfActive: this.#values.boolean(part, 'measureSatisfactionIfActive'),
    })
  }

  #limits(part: Placed): Sequencing['limitConditions'] {
    const durations = DURATION_LIMITS.map((name) => [
      name,
      this.#values.matching(part, name, DURATION, 'a duration such as PT1H30M'),
    ])
    const times = TIME_LIMITS.map((name) => [name, this.#values.matching(part, name, TIME, 'a time in ISO 8601')])
    return defined({
      attemptLimit: this.#values.count(part, 'attemptLimit'),
      ...Object.fromEntries([...durations, ...times]),
    })
  }

  #randomization(part: Placed): Sequencing['randomization'] {
    return defined({
      randomizationTiming: this.#values.choice(part, 'randomizationTiming', TIMING),
      selectionTiming: this.#values.choice(part, 'selectionTiming', TIMING),
      selectCount: this.#values.count(part, 'selectCount'),
      reorderChildren: this.#values.boolean(part, 'reorderChildren'),
    })
  }

  #auxiliary(part: Placed): Sequencing['auxiliaryResources'] {
    return this.#elements.all(part, 'auxiliaryResource', 'imsss').flatMap(({ element }) => {
      const resourceId = idOf(element, 'auxiliaryResourceID')
      const purpose = attributeOf(element, 'purpose')
      return resourceId && purpose ? [{ resourceId, purpose }] : []
    })
  }

  /** Reads the objectives, with the maps that ADL's extension adds to them by their ids. Returns their ids too. */
  #objectives(
    parts: Parts,
  ): readonly [found: Pick<Sequencing, 'primaryObjective' | 'objectives'>, ids: ReadonlySet<string | undefined>] {
    const part = parts.get('objectives')
    const extension = parts.get('adlObjectives')
    const own = part && this.#once(part, (one) => readObjectives(one, this.#context))
    const added = extension && this.#once(extension, (one) => readAddedMaps(one, this.#context))
    const ids = own?.ids ?? new Set()
    for (const id of added?.keys() ?? [])
      if (!ids.has(id))
        this.#notes.add(extension!.pointer, `adlseq:objectives names ${quote(id)}, which is no objective of the item`)
    if (!own) return [{}, ids]
    const extend = (objective: Objective): Objective => {
      const more = objective.objectiveID === undefined ? undefined : added?.get(objective.objectiveID)
      return more ? { ...objective, maps: mergeMaps(objective.maps ?? [], more) } : objective
    }
    const found = {
      ...(own.primary && { primaryObjective: extend(own.primary) }),
      ...(own.others.length > 0 && { objectives: added ? own.others.map(extend) : own.others }),
    }
    return [found, ids]
  }

  /** Notes the first rule that refers to an objective that the item does not have. */
  #noteUnknown(parts: Parts, rules: object | undefined, ids: ReadonlySet<string | undefined>): void {
    for (const { conditions } of (Object.values(rules ?? {}) as SequencingRule<string>[][]).flat())
      for (const { referencedObjective: id } of conditions)
        if (id !== undefined && !ids.has(id)) {
          const message = `A rule refers to ${quote(id)}, which is no objective of the item`
          this.#notes.add(parts.get('sequencingRules')!.pointer, message)
          return
        }
  }
}

/** Reads what the player must hide while an item runs (adlnav:presentation). */
export function readHidden(item: Placed, elements: Elements, notes: Notes): HiddenControl[] {
  const found = elements
    .all(item, 'presentation', 'adlnav')
    .flatMap((one) => elements.all(one, 'navigationInterface', 'adlnav'))
    .flatMap((one) => elements.all(one, 'hideLMSUI', 'adlnav'))
    .flatMap((one) => {
      const text = textOf(one) ?? ''
      const control = oneOf(text, HIDDEN)
      if (!control) notes.add(one.pointer, `hideLMSUI names ${quote(text)}, which SCORM does not define`)
      return control ?? []
    })
  return [...new Set(found)]
}
