import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Pencil, Plus, Trash2 } from '../../parts/icons.tsx'
import { offerUndo } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Lines } from '../../parts/states.tsx'
import treeClasses from '../progress/lesson-tree.module.css'
import { dashboardWords } from '../words.ts'
import { allLessons, type Objective, type PartProps } from './course-model.ts'
import { makeId } from './kinds/make-id.ts'
import { errorsOf, type Mistake } from './mistakes.ts'

const { course: say } = dashboardWords

/** Loaded when somebody edits an objective, because the page itself must stay small. */
const ObjectiveForm = onDemand(
  async () => (await import('./lesson-form.tsx')).ObjectiveForm,
  () => <Lines />,
)

interface ObjectivesProps extends PartProps {
  readonly mistakes: readonly Mistake[]
  readonly onCorrected: (change: { readonly id: string }) => void
}

export function Objectives({ doc, onChange, mistakes, onCorrected }: ObjectivesProps) {
  const [edited, setEdited] = useState<Objective>()
  const { objectives = [] } = doc
  const lessons = allLessons(doc)
  const put = (next: Objective[]) => onChange({ ...doc, objectives: next })
  return (
    <Card
      title={say.objectives}
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setEdited({ id: makeId('objective'), name: say.newObjective, lessons: [] })}
        >
          {say.addObjective}
        </Button>
      }
      isFlush
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {objectives.length === 0 ? say.noObjectives : say.objectivesText}
      </Text>
      <ul className={treeClasses.tree}>
        {objectives.map((one) => (
          <li key={one.id} className={treeClasses.row} data-menu>
            <div className={treeClasses.text}>
              <Text fw={600}>{one.name}</Text>
              <Text size="xs" c="dimmed">
                {one.lessons.map((id) => lessons.find((lesson) => lesson.id === id)?.name ?? id).join(', ')}
              </Text>
              {[...new Set(Object.values(errorsOf(mistakes, one.id)))].map((message) => (
                <Text key={message} size="sm" c="red">
                  {message}
                </Text>
              ))}
            </div>
            <Group gap={2} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={say.editOf(one.name)}
                onClick={() => setEdited(one)}
              >
                <Pencil size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={say.removeOf(one.name)}
                onClick={() => {
                  put(objectives.filter(({ id }) => id !== one.id))
                  offerUndo(say.removed(one.name), () => onChange(doc))
                }}
              >
                <Trash2 size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </li>
        ))}
      </ul>
      <Dialog isOpen={edited !== undefined} onClose={() => setEdited(undefined)} title={say.objectiveTitle}>
        {edited && (
          <ObjectiveForm
            key={edited.id}
            objective={edited}
            lessons={lessons}
            mistakes={errorsOf(mistakes, edited.id)}
            onClose={() => setEdited(undefined)}
            onApply={(next) => {
              const isNew = objectives.every(({ id }) => id !== next.id)
              put(isNew ? [...objectives, next] : objectives.map((one) => (one.id === next.id ? next : one)))
              onCorrected({ id: next.id })
              setEdited(undefined)
            }}
          />
        )}
      </Dialog>
    </Card>
  )
}
