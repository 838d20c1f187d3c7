import { Code, Stack, Text } from '@mantine/core'
import { Fact, Facts } from '../../parts/facts.tsx'
import { dashboardWords } from '../words.ts'

const { grading: say } = dashboardWords

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Turns a name of JSON into words: correctAnswer becomes Correct answer. */
const sayName = (name: string): string => {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const sayValue = (value: string | number | boolean | null): string =>
  typeof value === 'boolean' ? (value ? say.yes : say.no) : value === null ? '–' : String(value)

function Value({ value }: { readonly value: unknown }) {
  if (isPlain(value)) return <>{sayValue(value)}</>
  if (Array.isArray(value) && value.every(isPlain)) return <>{value.map(sayValue).join(', ')}</>
  return <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{JSON.stringify(value, null, 2)}</Code>
}

/** Shows the answers that an app has sent, whatever their form, as names and values. */
export const Answers = ({ answers }: { readonly answers: readonly unknown[] }) => (
  <div>
    <Text size="sm" fw={550} mb={4}>
      {say.answers}
    </Text>
    <Stack
      gap="sm"
      mah={320}
      component="ol"
      role="list"
      tabIndex={0}
      aria-label={say.answers}
      style={{ overflow: 'auto', margin: 0, paddingInlineStart: 20 }}
    >
      {answers.map((answer, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: answers have no id, and their order never changes
        <li key={i} style={{ overflowWrap: 'anywhere' }}>
          {isRecord(answer) ? (
            <Facts>
              {Object.entries(answer).map(([name, value]) => (
                <Fact key={name} name={sayName(name)}>
                  <Value value={value} />
                </Fact>
              ))}
            </Facts>
          ) : (
            <Value value={answer} />
          )}
        </li>
      ))}
    </Stack>
  </div>
)
