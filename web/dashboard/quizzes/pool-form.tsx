import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listQuestionTags } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { Loaded } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { quizWords } from './words.ts'

const { fields: say } = quizWords

interface PoolFormProps {
  readonly organisation: string
  readonly onAdd: (part: { tag: string; draw?: number }) => void
  readonly onClose: () => void
}

/** Adds a pool: questions with a tag, of which each attempt draws some at random. */
export function PoolForm({ organisation, onAdd, onClose }: PoolFormProps) {
  const tags = useQuery(query(listQuestionTags, { organisation }))
  const [tag, setTag] = useState('')
  const [draw, setDraw] = useState<number | ''>('')
  const [error, setError] = useState<{ tag?: string; draw?: string }>({})
  const add = () => {
    const most = tags.data?.find((one) => one.tag === tag)?.questions ?? 0
    const isTooMany = draw !== '' && (draw < 1 || draw > most || !Number.isInteger(draw))
    setError({ ...(tag === '' && { tag: say.missingTag }), ...(isTooMany && { draw: say.tooMany(most) }) })
    if (tag !== '' && !isTooMany) onAdd({ tag, ...(draw !== '' && { draw }) })
  }
  return (
    <Loaded query={tags}>
      {(found) => (
        <Stack>
          {found.length === 0 ? (
            <Text c="dimmed">{say.noTags}</Text>
          ) : (
            <>
              <NativeSelect
                label={say.tag}
                data-autofocus
                value={tag}
                error={error.tag}
                data={[
                  { value: '', label: quizWords.take.choose },
                  ...found.map((one) => ({ value: one.tag, label: say.tagChoice(one.tag, one.questions) })),
                ]}
                onChange={(event) => setTag(event.currentTarget.value)}
              />
              <NumberField
                label={say.draw}
                description={say.drawHelp}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                min={1}
                value={draw}
                error={error.draw}
                onChange={setDraw}
              />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.form.cancel}
            </Button>
            {found.length > 0 && <Button onClick={add}>{say.addIt}</Button>}
          </Group>
        </Stack>
      )}
    </Loaded>
  )
}
