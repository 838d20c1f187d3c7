import { ActionIcon, Button, Group, Paper, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { ArrowDown, ArrowUp, Plus, Trash2 } from '../../../parts/icons.tsx'
import { NumberField } from '../../../parts/number-field.tsx'
import { evaluationWords as say } from '../../evaluations/words.ts'
import type { KindFieldsProps } from './fields-props.ts'
import { makeId } from './make-id.ts'

type Criterion = NonNullable<KindFieldsProps['lesson']['rubric']>[number]

/** Changes of a criterion; undefined clears a field. */
type Changes = { [Name in keyof Criterion]?: Criterion[Name] | undefined }

/** As many as the platform allows. */
const MOST = 50

/** Edits the rubric of an instructor-led lesson. */
export function RubricFields({ course, lesson, onChange, errors }: KindFieldsProps) {
  const rubric = lesson.rubric ?? []
  const set = (next: readonly Criterion[]) => onChange({ rubric: [...next] })
  const change = (index: number, changes: Changes) =>
    set(rubric.map((one, i) => (i === index ? withoutBlanks({ ...one, ...changes }) : one)))
  const move = (index: number, by: number) => {
    const next = [...rubric]
    next.splice(index + by, 0, ...next.splice(index, 1))
    set(next)
  }
  const objectives = (course.objectives ?? []).map(({ id: value, name: label }) => ({ value, label }))
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={550}>
          {say.rubricTitle}
        </Text>
        <Text size="xs" c="dimmed">
          {say.rubricHelp}
        </Text>
      </div>
      {rubric.map((criterion, i) => {
        const name = criterion.name || say.criterionName(i + 1)
        return (
          <Paper key={criterion.id} withBorder p="sm" role="group" aria-label={name}>
            <Stack gap="xs">
              <Group gap={4} wrap="nowrap" align="flex-end">
                <TextInput
                  flex={1}
                  label={say.criterion}
                  maxLength={200}
                  value={criterion.name}
                  error={errors.rubric && criterion.name.trim() === '' ? say.missingCriterion : undefined}
                  onChange={({ currentTarget }) => change(i, { name: currentTarget.value })}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  disabled={i === 0}
                  aria-label={say.up(name)}
                  onClick={() => move(i, -1)}
                >
                  <ArrowUp size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  disabled={i === rubric.length - 1}
                  aria-label={say.down(name)}
                  onClick={() => move(i, 1)}
                >
                  <ArrowDown size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  size="lg"
                  aria-label={say.remove(name)}
                  onClick={() => set(rubric.filter((_, n) => n !== i))}
                >
                  <Trash2 size={16} aria-hidden />
                </ActionIcon>
              </Group>
              <Textarea
                label={say.expected}
                autosize
                minRows={1}
                maxLength={2000}
                value={criterion.description ?? ''}
                onChange={({ currentTarget }) => change(i, { description: currentTarget.value })}
              />
              <Group grow align="flex-start">
                <NumberField
                  label={say.maxPoints}
                  min={1}
                  max={1000}
                  placeholder="100"
                  value={criterion.points ?? ''}
                  onChange={(points) => change(i, { points: points === '' ? undefined : points })}
                />
                {objectives.length > 0 && (
                  <Select
                    label={say.objective}
                    description={say.objectiveHelp}
                    inputWrapperOrder={['label', 'input', 'description', 'error']}
                    clearable
                    placeholder={say.noObjective}
                    data={objectives}
                    value={criterion.objective ?? null}
                    onChange={(objective) => change(i, { objective: objective ?? undefined })}
                  />
                )}
              </Group>
            </Stack>
          </Paper>
        )
      })}
      {rubric.length < MOST && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => set([...rubric, { id: makeId('criterion'), name: '' }])}
          >
            {say.addCriterion}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Leaves out fields that are not set, because the course document has none of them. */
const withoutBlanks = (criterion: Changes): Criterion =>
  Object.fromEntries(
    Object.entries(criterion).filter(([field, value]) => field === 'name' || (value !== undefined && value !== '')),
  ) as Criterion
