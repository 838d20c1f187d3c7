import { Alert, Anchor, List, Text } from '@mantine/core'
import { CircleAlert } from '../../parts/icons.tsx'
import type { Mistake } from './mistakes.ts'
import { editingWords as say } from './words.ts'

interface MistakeListProps {
  readonly title: string
  readonly mistakes: readonly Mistake[]
  /** Ids of the lessons and steps, which have a form. */
  readonly lessons: readonly string[]
  readonly onCorrect: (id: string) => void
}

/** Lists what the author has to correct. The name of a lesson opens its form, where each mistake is at its field. */
export const MistakeList = ({ title, mistakes, lessons, onCorrect }: MistakeListProps) => (
  <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={title} role="alert">
    <Text size="sm">{say.mistakes(mistakes.length)}</Text>
    <List size="sm">
      {mistakes.map(({ id, name = say.course, field, message }) => (
        <List.Item key={`${id} ${field} ${message}`}>
          {id !== undefined && lessons.includes(id) ? (
            <Anchor
              component="button"
              type="button"
              size="sm"
              aria-label={say.correct(name)}
              onClick={() => onCorrect(id)}
            >
              {name}
            </Anchor>
          ) : (
            name
          )}
          : {message}
        </List.Item>
      ))}
    </List>
  </Alert>
)
