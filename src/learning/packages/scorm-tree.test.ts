import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Notes } from './refusals.ts'
import { readScorm, type ScormBlock, type ScormUnit } from './scorm-structure.ts'
import { activityTree } from './scorm-tree.ts'
import { itemOf, manifestOf, sequencingOf } from './testing-scorm.ts'
import { parseXml } from './xml.ts'

/** Returns the tree of a package whose organisation has these elements. */
async function treeOf(items: string) {
  const notes = new Notes()
  const root = await parseXml(Buffer.from(manifestOf({ items })), { name: 'imsmanifest.xml', notes })
  const structure = await readScorm(root, { files: new Set(['index.html']), notes })
  assert.deepEqual(structure.notes, [])
  const rows: { position: number; parent: number | null; item: Omit<ScormUnit, 'type'> }[] = []
  const add = (found: readonly (ScormUnit | ScormBlock)[], parent: number | null) => {
    for (const one of found) {
      const position = rows.length
      rows.push({ position, parent, item: one as ScormUnit })
      if (one.type === 'block') add(one.children, position)
    }
  }
  add(structure.children, null)
  // Items are stored as JSON.
  return activityTree(JSON.parse(JSON.stringify({ structure, items: rows }))).activityTree
}

const CONTROLS = {
  ...{ choice: true, choiceExit: true, flow: false, forwardOnly: false },
  ...{ useCurrentAttemptObjectiveInfo: true, useCurrentAttemptProgressInfo: true },
  ...{ preventActivation: false, constrainChoice: false },
  ...{ rollupObjectiveSatisfied: true, rollupProgressCompletion: true, objectiveMeasureWeight: 1 },
  ...{ selectionTiming: 'never', randomizationTiming: 'never', randomizeChildren: false },
}
const DELIVERY = { tracked: true, completionSetByContent: false, objectiveSetByContent: false }
const defaults = (id: string) => ({
  ...{ id, title: `Title of ${id}`, isVisible: true, sequencingControls: CONTROLS, deliveryControls: DELIVERY },
})

test('the activities of a package have the nesting of its items, and the defaults of SCORM', async () => {
  const tree = await treeOf(
    itemOf('a', itemOf('b') + itemOf('c', '', 'identifierref="sco" isvisible="false"'), '') +
      itemOf('d') +
      sequencingOf('<imsss:controlMode flow="true" choice="false"/>'),
  )
  assert.deepEqual(tree, {
    ...defaults('org'),
    title: 'Walkaround',
    sequencingControls: { ...CONTROLS, flow: true, choice: false },
    children: [{ ...defaults('a'), children: [defaults('b'), { ...defaults('c'), isVisible: false }] }, defaults('d')],
  })
})

test('an activity has the rules, limits, objectives and controls of its item, in the terms of scorm-again', async () => {
  const tree = await treeOf(
    itemOf(
      'item',
      `<adlcp:timeLimitAction>exit,message</adlcp:timeLimitAction>
       <adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.5"/>
       <adlcp:data><adlcp:map targetID="notes"/></adlcp:data>
       <adlnav:presentation><adlnav:navigationInterface><adlnav:hideLMSUI>exit</adlnav:hideLMSUI></adlnav:navigationInterface></adlnav:presentation>
       ${sequencingOf(`
         <imsss:sequencingRules><imsss:preConditionRule>
           <imsss:ruleConditions conditionCombination="any">
             <imsss:ruleCondition condition="objectiveMeasureGreaterThan" measureThreshold="0.5" operator="not"/>
             <imsss:ruleCondition condition="satisfied" operator="noOp" referencedObjective="other"/>
           </imsss:ruleConditions><imsss:ruleAction action="disabled"/>
         </imsss:preConditionRule></imsss:sequencingRules>
         <imsss:limitConditions attemptLimit="1" attemptAbsoluteDurationLimit="PT5.5555S"/>
         <imsss:rollupRules objectiveMeasureWeight="0.5"><imsss:rollupRule childActivitySet="atLeastPercent" minimumPercent="0.25">
           <imsss:rollupConditions><imsss:rollupCondition condition="activityProgressKnown" operator="not"/></imsss:rollupConditions>
           <imsss:rollupAction action="incomplete"/>
         </imsss:rollupRule></imsss:rollupRules>
         <imsss:objectives>
           <imsss:primaryObjective satisfiedByMeasure="true"/>
           <imsss:objective objectiveID="other"><imsss:mapInfo targetObjectiveID="shared" writeSatisfiedStatus="true"/></imsss:objective>
         </imsss:objectives>
         <imsss:randomizationControls randomizationTiming="once" reorderChildren="true" selectCount="2" selectionTiming="once"/>
         <imsss:deliveryControls objectiveSetByContent="true"/>
         <adlseq:rollupConsiderations requiredForSatisfied="ifAttempted"/>
         <adlseq:constrainedChoiceConsiderations constrainChoice="true"/>`)}`,
    ),
  )
  const reads = { readSatisfiedStatus: true, readNormalizedMeasure: true }
  assert.deepEqual(tree.children, [
    {
      ...defaults('item'),
      ...{ attemptLimit: 1, attemptAbsoluteDurationLimit: 'PT5.55S', timeLimitAction: 'exit,message' },
      primaryObjective: {
        ...{ objectiveID: ' ', isPrimary: true, satisfiedByMeasure: true, minNormalizedMeasure: 1, mapInfo: [] },
      },
      objectives: [
        {
          ...{ objectiveID: 'other', satisfiedByMeasure: false, minNormalizedMeasure: null },
          mapInfo: [
            {
              ...{ targetObjectiveID: 'shared', ...reads, writeSatisfiedStatus: true, writeNormalizedMeasure: false },
              ...{ readCompletionStatus: false, writeCompletionStatus: false, readProgressMeasure: false },
              ...{ writeProgressMeasure: false, readRawScore: false, writeRawScore: false, readMinScore: false },
              ...{ writeMinScore: false, readMaxScore: false, writeMaxScore: false },
            },
          ],
        },
      ],
      sequencingControls: {
        ...{ ...CONTROLS, constrainChoice: true, objectiveMeasureWeight: 0.5 },
        ...{ selectionTiming: 'once', selectCount: 2, randomizationTiming: 'once', randomizeChildren: true },
      },
      deliveryControls: { ...DELIVERY, objectiveSetByContent: true },
      sequencingRules: {
        preConditionRules: [
          {
            ...{ action: 'disabled', conditionCombination: 'any' },
            conditions: [
              { condition: 'objectiveMeasureGreaterThan', operator: 'not', parameters: { threshold: 0.5 } },
              { condition: 'satisfied', referencedObjective: 'other' },
            ],
          },
        ],
        ...{ exitConditionRules: [], postConditionRules: [] },
      },
      rollupRules: {
        rules: [
          {
            ...{
              action: 'incomplete',
              conditionCombination: 'any',
              consideration: 'atLeastPercent',
              minimumPercent: 25,
            },
            conditions: [{ condition: 'progressKnown', operator: 'not' }],
          },
        ],
      },
      rollupConsiderations: { requiredForSatisfied: 'ifAttempted' },
      completionThreshold: { completedByMeasure: true, minProgressMeasure: 0.5, progressWeight: 1 },
      hideLmsUi: ['exit'],
      sharedDataMaps: [{ targetID: 'notes', readSharedData: true, writeSharedData: true }],
    },
  ])
})

test('a primary objective that says nothing is left out, because scorm-again demands an id', async () => {
  const tree = await treeOf(
    itemOf('item', sequencingOf('<imsss:objectives><imsss:primaryObjective/></imsss:objectives>')),
  )
  assert.deepEqual(tree.children, [defaults('item')])
})
