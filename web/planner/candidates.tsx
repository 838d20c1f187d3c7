import { Button, Checkbox, Group, List, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { Candidate } from '../api/operations.ts'
import { Bar } from '../parts/bar.tsx'
import { Card } from '../parts/card.tsx'
import classes from './candidates.module.css'
import { nameOf } from './names.ts'
import { plannerWords } from './words.ts'

const { candidates: say } = plannerWords
const MOST_COMPARED = 4

/** Returns the candidates whose handles are in the URL, at most four. */
export const readCompared = (text: string | undefined, candidates: readonly Candidate[]): Candidate[] => {
  const handles = text?.split(',') ?? []
  return candidates.filter(({ handle }) => handles.includes(handle)).slice(0, MOST_COMPARED)
}

interface CandidateListProps {
  readonly candidates: readonly Candidate[]
  readonly compared: readonly Candidate[]
  /** Called with the handles to compare, separated by commas; undefined if none are left. */
  readonly onCompare: (handles: string | undefined) => void
  readonly onRemove?: (candidate: Candidate) => void
}

/**
 * Lists the candidates with their reasons. Above the list, the candidates chosen for comparison are shown side by side.
 */
export function CandidateList({ candidates, compared, onCompare, onRemove }: CandidateListProps) {
  const compare = (handle: string, isCompared: boolean) => {
    const others = compared.map((one) => one.handle).filter((one) => one !== handle)
    onCompare((isCompared ? [...others, handle] : others).join(',') || undefined)
  }
  return (
    <Stack gap="lg">
      {compared.length > 1 && <SideBySide people={compared} onClear={() => onCompare(undefined)} />}
      <SimpleGrid component="ul" cols={{ base: 1, md: 2 }} spacing="md" className={classes.list}>
        {candidates.map((candidate) => {
          const isCompared = compared.includes(candidate)
          return (
            <li key={candidate.handle}>
              <Card>
                <Stack gap="sm">
                  <Group justify="space-between" align="flex-start" wrap="nowrap">
                    <div>
                      <Title order={3}>{nameOf(candidate)}</Title>
                      <Text size="sm" c="dimmed">
                        {candidate.handle}
                      </Text>
                    </div>
                    <Checkbox
                      label={say.compare}
                      aria-label={say.compareOf(nameOf(candidate))}
                      checked={isCompared}
                      disabled={!isCompared && compared.length >= MOST_COMPARED}
                      onChange={(event) => compare(candidate.handle, event.currentTarget.checked)}
                    />
                  </Group>
                  <Weight name={say.score} score={candidate.score} isStrong />
                  {candidate.sources.map((source) => (
                    <div key={source.clientId}>
                      <Weight name={source.name} score={source.score} />
                      <Reasons source={source} />
                    </div>
                  ))}
                  {onRemove && (
                    <Group justify="flex-end">
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        color="red"
                        aria-label={say.removeOf(nameOf(candidate))}
                        onClick={() => onRemove(candidate)}
                      >
                        {say.remove}
                      </Button>
                    </Group>
                  )}
                </Stack>
              </Card>
            </li>
          )
        })}
      </SimpleGrid>
    </Stack>
  )
}

interface WeightProps {
  readonly name: string
  readonly score: number
  readonly isStrong?: boolean
}

const Weight = ({ name, score, isStrong = false }: WeightProps) => (
  <div>
    <div className={classes.weight}>
      <Text size="sm" fw={isStrong ? 600 : 400} component="span">
        {name}
      </Text>
      <Text size="sm" fw={isStrong ? 600 : 400} component="span">
        {say.scoreOf(score)}
      </Text>
    </div>
    <Bar share={score} />
  </div>
)

/** Lists the reasons of an engine, each with a bar if the engine gave weights. All bars have the same scale. */
const Reasons = ({ source: { reasons, weights } }: { readonly source: Candidate['sources'][number] }) => {
  if (reasons.length === 0)
    return (
      <Text size="sm" c="dimmed" mt={4}>
        {say.noReasons}
      </Text>
    )
  if (weights === undefined)
    return (
      <List size="sm" mt={4}>
        {reasons.map((reason) => (
          <List.Item key={reason}>{reason}</List.Item>
        ))}
      </List>
    )
  return (
    <ul className={classes.reasons}>
      {reasons.map((reason, i) => (
        <li key={reason}>
          <span className={classes.bar}>
            <Bar share={weights[i] ?? 0} />
          </span>
          <span className={classes.share}>{say.scoreOf(weights[i] ?? 0)}</span>
          <span>{reason}</span>
        </li>
      ))}
    </ul>
  )
}

/** A table that compares people: a column for each person, and a row for each engine. */
function SideBySide({ people, onClear }: { readonly people: readonly Candidate[]; readonly onClear: () => void }) {
  const engines = new Map(people.flatMap(({ sources }) => sources.map(({ clientId, name }) => [clientId, name])))
  return (
    <Card
      title={say.side}
      isFlush
      action={
        <Button size="xs" variant="default" onClick={onClear}>
          {say.clear}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.sideText}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={`${classes.scroll} gs-scroll`} aria-label={say.side} tabIndex={0}>
        <table className={classes.side}>
          <thead>
            <tr>
              <th scope="col">{say.engine}</th>
              {people.map((one) => (
                <th key={one.handle} scope="col">
                  {nameOf(one)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row" title={say.scoreHelp}>
                {say.score}
              </th>
              {people.map(({ handle, score }) => (
                <td key={handle}>
                  <Weight name="" score={score} isStrong />
                </td>
              ))}
            </tr>
            {[...engines].map(([clientId, name]) => (
              <tr key={clientId}>
                <th scope="row">{name}</th>
                {people.map(({ handle, sources }) => {
                  const source = sources.find((one) => one.clientId === clientId)
                  return (
                    <td key={handle}>
                      {source ? (
                        <>
                          <Weight name="" score={source.score} />
                          <Reasons source={source} />
                        </>
                      ) : (
                        <Text size="sm" c="dimmed">
                          {say.notNamed}
                        </Text>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
