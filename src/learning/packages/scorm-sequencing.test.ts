import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../kernel/errors.ts'
import { Notes } from './refusals.ts'
import { readScorm } from './scorm-structure.ts'
import type { Sequencing } from './scorm-vocabulary.ts'
import { itemOf, manifestOf, sequencingOf } from './testing-scorm.ts'
import { parseXml } from './xml.ts'

async function readAll(text: string) {
  const notes = new Notes()
  const root = await parseXml(Buffer.from(text), { name: 'imsmanifest.xml', notes })
  return readScorm(root, { files: new Set(['index.html']), notes })
}

/** Reads the sequencing of an item, with the messages of its notes. */
async function read(inside: string, { attributes = '', collection = '' } = {}) {
  const after = collection && `<imsss:sequencingCollection>${collection}</imsss:sequencingCollection>`
  const found = await readAll(manifestOf({ items: itemOf('item', sequencingOf(inside, attributes)), after }))
  const { sequencing } = found.children[0] as { sequencing?: Sequencing }
  return { sequencing, notes: found.notes.map(({ message }) => message).join('\n') }
}

const rule = (kind: string, conditions: string, action: string, more = '') =>
  `<imsss:sequencingRules><imsss:${kind}><imsss:ruleConditions ${more}>${conditions}</imsss:ruleConditions>
   <imsss:ruleAction action="${action}"/></imsss:${kind}></imsss:sequencingRules>`

test('all of the sequencing of an item is read, and what it does not say is absent', async () => {
  const { sequencing, notes } = await read(`
    <imsss:controlMode choice="false" flow=" true "/>
    <imsss:sequencingRules>
      <imsss:preConditionRule>
        <imsss:ruleConditions conditionCombination="any">
          <imsss:ruleCondition condition="objectiveMeasureLessThan" measureThreshold="0.5" referencedObjective=" a%20%20b "/>
          <imsss:ruleCondition operator="not" condition="attempted"/>
        </imsss:ruleConditions>
        <imsss:ruleAction action="skip"/>
      </imsss:preConditionRule>
      <imsss:exitConditionRule>
        <imsss:ruleConditions><imsss:ruleCondition condition="satisfied"/></imsss:ruleConditions><imsss:ruleAction action="exit"/>
      </imsss:exitConditionRule>
      <imsss:postConditionRule>
        <imsss:ruleConditions><imsss:ruleCondition condition="always"/></imsss:ruleConditions><imsss:ruleAction action="retryAll"/>
      </imsss:postConditionRule>
    </imsss:sequencingRules>
    <imsss:limitConditions attemptLimit="2" attemptAbsoluteDurationLimit="PT1H30M" endTimeLimit="2030-01-01T00:00:00Z"/>
    <imsss:auxiliaryResources><imsss:auxiliaryResource auxiliaryResourceID="glossary" purpose="help"/></imsss:auxiliaryResources>
    <imsss:rollupRules rollupObjectiveSatisfied="false" objectiveMeasureWeight="0.25">
      <imsss:rollupRule childActivitySet="atLeastPercent" minimumPercent="0.5">
        <imsss:rollupConditions conditionCombination="all">
          <imsss:rollupCondition condition="completed"/><imsss:rollupCondition condition="never" operator="not"/>
        </imsss:rollupConditions>
        <imsss:rollupAction action="completed"/>
      </imsss:rollupRule>
    </imsss:rollupRules>
    <imsss:objectives>
      <imsss:primaryObjective objectiveID="main" satisfiedByMeasure="true">
        <imsss:minNormalizedMeasure>0.8</imsss:minNormalizedMeasure>
        <imsss:mapInfo targetObjectiveID="shared" readSatisfiedStatus="false" writeNormalizedMeasure="true"/>
      </imsss:primaryObjective>
      <imsss:objective objectiveID="a b"/>
    </imsss:objectives>
    <imsss:randomizationControls randomizationTiming="once" selectCount="3" selectionTiming="onEachNewAttempt" reorderChildren="true"/>
    <imsss:deliveryControls tracked="false" completionSetByContent="1"/>
    <adlseq:constrainedChoiceConsiderations preventActivation="true"/>
    <adlseq:rollupConsiderations requiredForCompleted="ifNotSkipped" measureSatisfactionIfActive="false"/>
    <adlseq:objectives>
      <adlseq:objective objectiveID="main">
        <adlseq:mapInfo targetObjectiveID="shared" readRawScore="false" readMinScore="false" readMaxScore="false" writeCompletionStatus="true"/>
        <adlseq:mapInfo targetObjectiveID="scores" readRawScore="false" readMinScore="false" readMaxScore="false" readCompletionStatus="false" readProgressMeasure="false" writeRawScore="true"/>
      </adlseq:objective>
    </adlseq:objectives>`)
  assert.equal(notes, '')
  assert.deepEqual(JSON.parse(JSON.stringify(sequencing)), {
    controlMode: { choice: false, flow: true },
    preConditionRules: [
      {
        ...{ action: 'skip', combination: 'any' },
        conditions: [
          { condition: 'objectiveMeasureLessThan', referencedObjective: 'a b', measureThreshold: 0.5 },
          { condition: 'attempted', isNegated: true },
        ],
      },
    ],
    exitConditionRules: [{ action: 'exit', combination: 'all', conditions: [{ condition: 'satisfied' }] }],
    postConditionRules: [{ action: 'retryAll', combination: 'all', conditions: [{ condition: 'always' }] }],
    limitConditions: {
      ...{ attemptLimit: 2, attemptAbsoluteDurationLimit: 'PT1H30M', endTimeLimit: '2030-01-01T00:00:00Z' },
    },
    auxiliaryResources: [{ resourceId: 'glossary', purpose: 'help' }],
    rollup: {
      ...{ rollupObjectiveSatisfied: false, objectiveMeasureWeight: 0.25 },
      rules: [
        {
          ...{ action: 'completed', combination: 'all', childActivitySet: 'atLeastPercent', minimumPercent: 0.5 },
          conditions: [{ condition: 'completed' }, { condition: 'never', isNegated: true }],
        },
      ],
    },
    primaryObjective: {
      ...{ objectiveID: 'main', satisfiedByMeasure: true, minNormalizedMeasure: 0.8 },
      maps: [
        {
          targetObjectiveID: 'shared',
          read: ['NormalizedMeasure', 'CompletionStatus', 'ProgressMeasure'],
          write: ['NormalizedMeasure', 'CompletionStatus'],
        },
        { targetObjectiveID: 'scores', read: [], write: ['RawScore'] },
      ],
    },
    objectives: [{ objectiveID: 'a b' }],
    randomization: {
      ...{ randomizationTiming: 'once', selectionTiming: 'onEachNewAttempt', selectCount: 3, reorderChildren: true },
    },
    deliveryControls: { tracked: false, completionSetByContent: true },
    constrainedChoice: { preventActivation: true },
    rollupConsiderations: { requiredForCompleted: 'ifNotSkipped', measureSatisfactionIfActive: false },
  })
})

test('the sequencing of SCORM 1.2 is not read, and an empty one is none', async () => {
  assert.equal((await read('')).sequencing, undefined)
  const old = await readAll(
    manifestOf({
      version: '1.2',
      items: itemOf(
        'a',
        '<imsss:sequencing xmlns:imsss="http://www.imsglobal.org/xsd/imsss"><imsss:controlMode flow="true"/></imsss:sequencing>',
      ),
    }),
  )
  assert.equal('sequencing' in old.children[0]!, false)
})

test('an organisation and a block have a sequencing of their own', async () => {
  const flow = sequencingOf('<imsss:controlMode flow="true"/>')
  const found = await readAll(manifestOf({ items: itemOf('block', itemOf('unit') + flow, '') + flow }))
  assert.deepEqual(found.organisation.sequencing, { controlMode: { flow: true } })
  assert.deepEqual((found.children[0] as { sequencing?: Sequencing }).sequencing, { controlMode: { flow: true } })
})

test('an item has the sequencing of a collection, and each element of its own replaces that of the collection', async () => {
  const base = sequencingOf(
    `<imsss:controlMode choice="false" flow="true"/><imsss:deliveryControls tracked="false"/>
     <imsss:objectives><imsss:objective objectiveID="a"/></imsss:objectives>`,
    'ID="base"',
  )
  const { sequencing, notes } = await read(
    `<imsss:controlMode forwardOnly="true"/>
     <adlseq:objectives><adlseq:objective objectiveID="a"><adlseq:mapInfo targetObjectiveID="x"/></adlseq:objective></adlseq:objectives>`,
    { attributes: 'IDRef=" base "', collection: base },
  )
  assert.equal(notes, '')
  assert.deepEqual(sequencing, {
    controlMode: { forwardOnly: true },
    deliveryControls: { tracked: false },
    objectives: [
      {
        objectiveID: 'a',
        maps: [
          {
            targetObjectiveID: 'x',
            read: ['RawScore', 'MinScore', 'MaxScore', 'CompletionStatus', 'ProgressMeasure'],
            write: [],
          },
        ],
      },
    ],
  })
  const both = manifestOf({
    items: itemOf('a', sequencingOf('', 'IDRef="base"')) + itemOf('b', sequencingOf('', 'IDRef="base"')),
    after: `<imsss:sequencingCollection>${base}</imsss:sequencingCollection>`,
  })
  const [a, b] = (await readAll(both)).children as readonly { sequencing?: Sequencing }[]
  assert.deepEqual(a?.sequencing, b?.sequencing)
})

test('a sequencing that refers to itself is refused, one that does not exist is noted', async () => {
  const collection =
    sequencingOf('<imsss:controlMode flow="true"/>', 'ID="a" IDRef="b"') + sequencingOf('', 'ID="b" IDRef="a"')
  for (const [attributes, entries] of [
    ['IDRef="a"', collection],
    ['IDRef="s0"', Array.from({ length: 30 }, (_, i) => sequencingOf('', `ID="s${i}" IDRef="s${i + 1}"`)).join('')],
  ] as const)
    await assert.rejects(read('', { attributes, collection: entries }), (error: PlatformError) => {
      assert.ok(error instanceof PlatformError)
      assert.match(error.message, /refers to itself, directly or through others/)
      return true
    })
  const missing = await read('<imsss:controlMode flow="true"/>', {
    attributes: 'IDRef="c"',
    collection: sequencingOf(''),
  })
  assert.deepEqual(missing.sequencing, { controlMode: { flow: true } })
  assert.match(missing.notes, /of a collection has no ID\nIDRef names "c", which is in no sequencing collection/)
})

test('a rule, an objective or a value that SCORM does not define is ignored and noted', async () => {
  const always = '<imsss:ruleCondition condition="always"/>'
  const objectives = (inside: string) => `<imsss:objectives>${inside}</imsss:objectives>`
  const cases: [inside: string, expected: object, note: RegExp][] = [
    [
      '<imsss:controlMode choice="yes" flow="true"/>',
      { controlMode: { flow: true } },
      /choice .* is not true or false/,
    ],
    [rule('preConditionRule', always, 'exitAll'), {}, /has no action that SCORM defines/],
    [rule('postConditionRule', '<imsss:ruleCondition condition="lucky"/>', 'retry'), {}, /has no condition that SCORM/],
    [rule('postConditionRule', '', 'retry'), {}, /has no condition that SCORM/],
    ['<imsss:limitConditions attemptLimit="-1"/>', { limitConditions: {} }, /attemptLimit .* is not a whole number/],
    [
      '<imsss:limitConditions attemptAbsoluteDurationLimit="1 hour"/>',
      { limitConditions: {} },
      /is not a duration such as PT1H30M/,
    ],
    ['<imsss:rollupRules objectiveMeasureWeight="2"/>', { rollup: { rules: [] } }, /is not a number from 0 to 1/],
    [
      objectives('<imsss:objective/><imsss:objective objectiveID="a"/><imsss:objective objectiveID="a"/>'),
      { objectives: [{ objectiveID: 'a' }] },
      /has no objectiveID, and was ignored\n.*has the objectiveID "a" of another/,
    ],
    [
      objectives(
        '<imsss:primaryObjective satisfiedByMeasure="true"><imsss:minNormalizedMeasure>x</imsss:minNormalizedMeasure><imsss:mapInfo/></imsss:primaryObjective>',
      ),
      { primaryObjective: { satisfiedByMeasure: true } },
      /minNormalizedMeasure "x" is not a number from -1 to 1\n.*has no targetObjectiveID/,
    ],
    [
      '<adlseq:objectives><adlseq:objective objectiveID="b"/></adlseq:objectives>',
      {},
      /adlseq:objectives names "b", which is no objective/,
    ],
    [
      rule('preConditionRule', '<imsss:ruleCondition condition="satisfied" referencedObjective="z"/>', 'skip'),
      {
        preConditionRules: [
          { action: 'skip', combination: 'all', conditions: [{ condition: 'satisfied', referencedObjective: 'z' }] },
        ],
      },
      /A rule refers to "z", which is no objective/,
    ],
  ]
  for (const [inside, expected, note] of cases) {
    const { sequencing, notes } = await read(inside)
    assert.deepEqual(sequencing, expected, inside)
    assert.match(notes, note)
  }
})
