import { Alert, Button, Checkbox, Stack, Text, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  aggregateStatements,
  countStatements,
  exportStatements,
  getStatements,
  readNames,
  streamStatements,
  type Verb,
} from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Bar } from '../../parts/bar.tsx'
import { Card } from '../../parts/card.tsx'
import { type FilterField, Filters } from '../../parts/filters.tsx'
import { Download, ScrollText, WifiOff } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { Turn } from '../../parts/turn.tsx'
import { words } from '../../parts/words.ts'
import { suggestPeople, suggestVerbs } from '../suggestions.ts'
import { adminWords } from '../words.ts'
import {
  identify,
  type KnownNames,
  namedIn,
  readAgent,
  readVerb,
  type Statement,
  type StatementPage,
  sayAgent,
  sayObject,
  sayResult,
  sayVerb,
} from './statement.ts'
import classes from './statements-page.module.css'
import { suggestActivities } from './suggest-activities.ts'

const { statements: say } = adminWords
const { form, turn } = words
const route = getRouteApi('/signed-in/admin/record-store/statements')
const FIELDS: readonly FilterField[] = [
  { name: 'agent', label: say.agent, placeholder: say.agentHelp, suggest: suggestPeople },
  { name: 'verb', label: say.verb, placeholder: say.verbHelp, suggest: suggestVerbs },
  { name: 'activity', label: say.activity, placeholder: say.activityHelp, suggest: suggestActivities },
  { name: 'registration', label: say.registration },
  { name: 'since', label: say.since, isMoment: true },
  { name: 'until', label: say.until, isMoment: true },
]

export function StatementsPage() {
  const { cursor: _cursor, live, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  /** Contains the `homePage` of this platform's accounts, which is needed to filter by handle. */
  const { identity: identityQuery, verbs: verbsQuery } = route.useLoaderData()
  const identity = useQuery(identityQuery)
  const verbs = useQuery(verbsQuery)
  const named = verbs.data?.find(({ verbId }) => verbId === filters.verb)?.name
  return (
    <>
      <Filters
        fields={FIELDS}
        values={{ ...filters, verb: named ?? filters.verb }}
        onChange={(values) => void navigate({ search: only({ ...values, live }) })}
      />
      <Loaded query={identity}>
        {({ authority }) => (
          <Loaded query={verbs}>
            {(library) => (
              <StatementList
                homePage={(authority as { account?: { homePage: string } }).account?.homePage ?? ''}
                library={library}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  )
}

interface StatementListProps {
  /** The `homePage` of this platform's accounts. */
  readonly homePage: string
  readonly library: readonly Verb[]
}

function StatementList({ homePage, library }: StatementListProps) {
  const { verb } = route.useSearch()
  const verbId = verb === undefined ? undefined : readVerb(verb, library)
  if (verb !== undefined && verbId === undefined)
    return (
      <Card>
        <Empty icon={ScrollText} title={say.noVerb(verb)}>
          {say.noVerbText}
        </Empty>
      </Card>
    )
  return <FoundStatements homePage={homePage} verbId={verbId} />
}

interface FoundStatementsProps {
  readonly homePage: string
  readonly verbId: string | undefined
}

function FoundStatements({ homePage, verbId }: FoundStatementsProps) {
  const { cursor, live, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const { agent, verb: _verb, ...others } = filters
  const chosen = {
    ...others,
    ...(verbId !== undefined && { verb: verbId }),
    ...(agent !== undefined && { agent: readAgent(agent, homePage) }),
  }
  const list = useQuery({
    ...query(getStatements, cursor === undefined ? { ...chosen, limit: 25, format: 'canonical' } : { cursor }),
    // New statements arrive all the time, so do not show cached results.
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
  const count = useQuery({ ...query(countStatements, chosen), staleTime: 0 })
  // Only the first page of a list without an end date can receive new statements.
  const mayLive = cursor === undefined && others.until === undefined
  const { fresh, isConnected } = useLive(live === true && mayLive, chosen)
  return (
    <>
      <div className={classes.bar}>
        <Checkbox
          role="switch"
          label={say.isLive}
          disabled={!mayLive}
          checked={live === true && mayLive}
          onChange={(event) =>
            void navigate({
              search: only({ ...filters, live: event.currentTarget.checked || undefined }),
              replace: true,
            })
          }
        />
        <Button
          component="a"
          href={exportStatements(chosen)}
          download
          variant="default"
          size="xs"
          leftSection={<Download size={16} aria-hidden />}
        >
          {say.export}
        </Button>
      </div>
      <VisuallyHidden role="status">{fresh.length > 0 ? say.cameLive(fresh.length) : ''}</VisuallyHidden>
      {!isConnected && (
        <Alert color="yellow" icon={<WifiOff size={18} aria-hidden />} mb="md" role="alert">
          {words.states.lost}
        </Alert>
      )}
      <Loaded query={list} lines={8}>
        {(answer) => {
          const { statements: kept, more } = answer as StatementPage
          const known = new Set(kept.map(({ id }) => id))
          const statements = [...fresh.filter(({ id }) => !known.has(id)), ...kept]
          const freshIds = new Set(fresh.map(({ id }) => id))
          const next = more ? new URL(more, location.origin).searchParams.get('cursor') : null
          if (statements.length === 0)
            return (
              <Card>
                {Object.keys(only(filters)).length > 0 ? (
                  <Empty icon={ScrollText} title={form.nothing}>
                    {form.nothingText}
                  </Empty>
                ) : (
                  <Empty icon={ScrollText} title={say.empty}>
                    {say.emptyText}
                  </Empty>
                )}
              </Card>
            )
          return (
            <Stack gap="lg">
              <ByVerb chosen={chosen} filters={filters} total={count.data?.count} />
              <Card isFlush>
                <Rows
                  label={adminWords.store.statements}
                  head={[say.when, say.who, say.did, say.what, say.result, say.title]}
                  minWidth={760}
                >
                  <StatementRows statements={statements} freshIds={freshIds} homePage={homePage} />
                </Rows>
                <Turn
                  newest={
                    cursor !== undefined && (
                      <TextLink from="/admin/record-store/statements" to="." search={filters}>
                        {turn.newest}
                      </TextLink>
                    )
                  }
                  older={
                    next !== null && (
                      <TextLink from="/admin/record-store/statements" to="." search={{ ...filters, cursor: next }}>
                        {turn.older}
                      </TextLink>
                    )
                  }
                />
              </Card>
            </Stack>
          )
        }}
      </Loaded>
    </>
  )
}

const MOST_FRESH = 200
/** Milliseconds after the newest statement before the counts are read again. */
const COUNT_AGAIN_MS = 1000

/**
 * Returns the statements that arrived since the live mode was switched on, newest first, and whether the stream is
 * connected.
 */
function useLive(isLive: boolean, { until: _, ...chosen }: Parameters<typeof countStatements>[0]) {
  const client = useQueryClient()
  const [fresh, setFresh] = useState<readonly Statement[]>([])
  const [isConnected, setConnected] = useState(true)
  const asked = JSON.stringify(chosen)
  useEffect(() => {
    setFresh([])
    setConnected(true)
    if (!isLive) return
    return streamStatements(
      JSON.parse(asked),
      {
        statement: (one) => setFresh((before) => [one as Statement, ...before].slice(0, MOST_FRESH)),
        // The platform does not know this position in the stream, because its database was restored or replaced: read
        // the list again.
        reset: () => void client.invalidateQueries({ queryKey: [getStatements.operationName] }),
      },
      setConnected,
    )
  }, [isLive, asked, client])
  useEffect(() => {
    if (fresh.length === 0) return
    const rest = setTimeout(() => {
      for (const { operationName } of [countStatements, aggregateStatements])
        void client.invalidateQueries({ queryKey: [operationName] })
    }, COUNT_AGAIN_MS)
    return () => clearTimeout(rest)
  }, [fresh, client])
  return { fresh, isConnected }
}

interface StatementRowsProps {
  readonly statements: readonly Statement[]
  readonly freshIds: ReadonlySet<string>
  readonly homePage: string
}

/** Shows the statements with the names that the platform knows, which are read for the whole page at once. */
function StatementRows({ statements, freshIds, homePage }: StatementRowsProps) {
  const { data } = useQuery({ ...query(readNames, namedIn(statements, homePage)), placeholderData: keepPreviousData })
  const names = data && { ...data, homePage }
  return statements.map((statement) => (
    <StatementRow key={statement.id} statement={statement} names={names} isFresh={freshIds.has(statement.id)} />
  ))
}

interface StatementRowProps {
  readonly statement: Statement
  readonly names: KnownNames | undefined
  readonly isFresh: boolean
}

function StatementRow({ statement, names, isFresh }: StatementRowProps) {
  const [who, did, what] = [
    sayAgent(statement.actor, names),
    sayVerb(statement.verb),
    sayObject(statement.object, names),
  ]
  const activity =
    statement.object.objectType === undefined || statement.object.objectType === 'Activity'
      ? statement.object.id
      : undefined
  return (
    <Row
      {...(isFresh && { className: classes.fresh! })}
      cells={[
        <Time key="when" at={statement.stored} />,
        <Only key="who" name="agent" value={identify(statement.actor)} text={who} />,
        <Only key="did" name="verb" value={statement.verb.id} text={did} />,
        <Only key="what" name="activity" value={activity} text={what} />,
        sayResult(statement),
        <TextLink
          key="open"
          to="/admin/record-store/statements/$statementId"
          params={{ statementId: statement.id }}
          aria-label={say.openOf(who, did, what)}
          size="sm"
        >
          {say.open}
        </TextLink>,
      ]}
    />
  )
}

interface OnlyProps {
  readonly name: 'agent' | 'verb' | 'activity'
  readonly value: string | undefined
  readonly text: string
}

/** A link that filters the list by this value; plain text if there is no value. */
const Only = ({ name, value, text }: OnlyProps) =>
  value === undefined ? (
    <span className={classes.long}>{text}</span>
  ) : (
    <TextLink
      from="/admin/record-store/statements"
      to="."
      search={({ cursor: _cursor, ...kept }: Record<string, string | boolean | undefined>) => ({
        ...kept,
        [name]: value,
      })}
      title={say.onlyThis(value)}
      className={classes.long!}
      size="sm"
    >
      {text}
    </TextLink>
  )

interface ByVerbProps {
  readonly chosen: Omit<Parameters<typeof countStatements>[0], 'by'>
  readonly filters: Readonly<Record<string, string | undefined>>
  readonly total: number | undefined
}

function ByVerb({ chosen, filters, total }: ByVerbProps) {
  const found = useQuery({ ...query(aggregateStatements, { ...chosen, by: 'verb', limit: 8 }), staleTime: 0 })
  const groups = found.data?.groups ?? []
  const largest = groups[0]?.count ?? 1
  return (
    <Card title={total === undefined ? say.byVerb : say.countByVerb(total)}>
      <ul className={classes.groups}>
        {groups.map(({ verb, count }) => (
          <li key={verb?.id}>
            <div className={classes.group}>
              <TextLink from="/admin/record-store/statements" to="." search={{ ...filters, verb: verb!.id }} size="sm">
                {sayVerb(verb!)}
              </TextLink>
              <Text size="sm" component="span">
                {say.share(count)}
              </Text>
            </div>
            <Bar share={count / largest} />
          </li>
        ))}
      </ul>
      {found.data?.more && (
        <Text size="xs" c="dimmed" mt="sm">
          {say.more}
        </Text>
      )}
    </Card>
  )
}
