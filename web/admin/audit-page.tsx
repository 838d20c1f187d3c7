import { Button, Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type AuditEntry, exportAudit } from '../api/operations.ts'
import { Card } from '../parts/card.tsx'
import { type FilterField, Filters } from '../parts/filters.tsx'
import { Download, ScrollText } from '../parts/icons.tsx'
import { TextLink } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { only } from '../parts/search.ts'
import { Empty, Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Turn } from '../parts/turn.tsx'
import { words } from '../parts/words.ts'
import { ACTIONS, sayAction, sayDetail } from './audit-words.ts'
import { suggestPeople } from './suggestions.ts'
import { adminWords } from './words.ts'

const { audit: say } = adminWords
const { form, turn } = words
const route = getRouteApi('/signed-in/admin/audit')
const FIELDS: readonly FilterField[] = [
  { name: 'handle', label: say.handle, placeholder: say.handleHelp, suggest: suggestPeople },
  { name: 'action', label: say.action, choices: ACTIONS },
  { name: 'clientId', label: say.client, placeholder: say.clientHelp },
  { name: 'from', label: say.from, isMoment: true },
  { name: 'to', label: say.to, isMoment: true },
]

export function AuditPage() {
  const { cursor, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().entries)
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        action={
          <Button
            component="a"
            href={exportAudit(only(filters))}
            download
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
          >
            {say.export}
          </Button>
        }
      />
      <Filters
        fields={FIELDS}
        values={filters}
        onChange={(values) => void navigate({ search: only(values) as typeof filters })}
      />
      <Loaded query={list} lines={10}>
        {({ docs, next }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={ScrollText} title={form.nothing}>
                {form.nothingText}
              </Empty>
            ) : (
              <>
                <Rows
                  label={say.title}
                  head={[say.when, say.action, say.about, say.by, say.client, say.detail, say.where]}
                  minWidth={980}
                >
                  {docs.map((entry, i) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and stay as they are
                    <Row key={i} cells={cellsOf(entry)} />
                  ))}
                </Rows>
                <Turn
                  newest={
                    cursor !== undefined && (
                      <TextLink from="/admin/audit" to="." search={filters}>
                        {turn.newest}
                      </TextLink>
                    )
                  }
                  older={
                    next !== null && (
                      <TextLink from="/admin/audit" to="." search={{ ...filters, cursor: next }}>
                        {turn.older}
                      </TextLink>
                    )
                  }
                />
              </>
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}

const cellsOf = ({ date, action, person, by, clientId, detail, names, address, requestId }: AuditEntry) => [
  <Time key="when" at={date} />,
  <Only key="action" search={{ action }} title={action}>
    {sayAction(action)}
  </Only>,
  person === null ? say.nobody : <Person key="person" handle={person} name={names.person} />,
  by === null ? say.nobody : <Person key="by" handle={by} name={names.by} />,
  clientId === null ? (
    say.nobody
  ) : (
    <Only key="app" search={{ clientId }} title={clientId}>
      {names.clientId ?? clientId}
    </Only>
  ),
  <Detail key="detail" detail={detail} names={names} />,
  <Text key="where" size="sm" {...(requestId !== null && { title: `${say.request} ${requestId}` })}>
    {address ?? say.nobody}
  </Text>,
]

interface OnlyProps {
  readonly search: Record<string, string>
  /** The id behind the name, as a tooltip. */
  readonly title: string
  readonly children: string
}

const Only = ({ search, title, children }: OnlyProps) => (
  <TextLink to="/admin/audit" search={search} size="sm" title={title}>
    {children}
  </TextLink>
)

const Person = ({ handle, name }: { readonly handle: string; readonly name: string | undefined }) => (
  <TextLink to="/admin/people/$handle" params={{ handle }} size="sm" title={handle}>
    {name ?? handle}
  </TextLink>
)

const Detail = ({ detail, names }: Pick<AuditEntry, 'detail' | 'names'>) => (
  <Text size="sm" maw={280} component="div" style={{ overflowWrap: 'anywhere' }}>
    {Object.entries(detail).map(([name, value]) => (
      <div key={name}>
        <Text component="span" c="dimmed" size="xs">
          {sayDetail(name)}
        </Text>{' '}
        {names[name] === undefined ? <Code>{String(value)}</Code> : <span title={String(value)}>{names[name]}</span>}
      </div>
    ))}
  </Text>
)
