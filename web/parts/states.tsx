import { Alert, Button, Center, CopyButton, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiProblem } from '../api/call.ts'
import { CircleAlert, type IconType } from './icons.tsx'
import classes from './states.module.css'
import { words } from './words.ts'

/** A button that copies the code and the request ID of an error. */
export function Quote({ error }: { readonly error: Error }) {
  if (!(error instanceof ApiProblem && error.code > 0)) return null
  const quote = words.states.quote(error.code, error.requestId)
  return (
    <CopyButton value={quote}>
      {({ copied, copy }) => (
        <Button size="xs" variant="subtle" color="gray" onClick={copy} title={words.states.copyQuote}>
          {copied ? words.states.copied : quote}
        </Button>
      )}
    </CopyButton>
  )
}

interface ProblemProps {
  readonly error: Error
  /** Says what failed, such as "Couldn’t save the course". */
  readonly title?: string | undefined
  readonly onRetry?: () => void
}

/** Says what failed, with a button to try again, and one that copies the code and the request ID. */
export function Problem({
  error,
  onRetry,
  title = onRetry ? words.states.loadFailed : words.states.failed,
}: ProblemProps) {
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={title} role="alert">
      <Stack gap="xs">
        <Text size="sm">{endSentence(error.message)}</Text>
        <Group gap="xs">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {words.states.again}
            </Button>
          )}
          <Quote error={error} />
        </Group>
      </Stack>
    </Alert>
  )
}

const endSentence = (text: string): string => text.replace(/[^.?!]$/, '$&.')

interface EmptyProps {
  readonly icon: IconType
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Shown in place of an empty list: says what will appear here, and offers the first step. */
export const Empty = ({ icon: Icon, title, children, action }: EmptyProps) => (
  <Center py={48} px="md">
    <Stack align="center" gap="sm" maw={420}>
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Icon size={24} />
      </ThemeIcon>
      <Title order={2} ta="center">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" ta="center" component="div" style={{ textWrap: 'balance' }}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  </Center>
)

/** Placeholder lines, shown while content is being loaded. */
export const Lines = ({ lines = 4 }: { readonly lines?: number }) => (
  <Stack gap="sm" role="status" aria-label={words.states.loading}>
    {Array.from({ length: lines }, (_, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      <Skeleton key={i} height={44} />
    ))}
  </Stack>
)

const PATIENCE_MS = 200

/** Shows `Lines` after a short delay, so that nothing flickers if the content loads quickly. */
export function Waiting({ lines = 4 }: { readonly lines?: number }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown && <Lines lines={lines} />
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, Error>
  readonly lines?: number
  readonly children: (data: T) => ReactNode
}

/**
 * Shows the data of a query. Until it has loaded, shows placeholder lines; if it failed, shows the problem. Data that
 * stays while the next page of a list loads is marked as busy for assistive technology.
 */
export function Loaded<T>({ query, lines, children }: LoadedProps<T>) {
  if (query.data !== undefined)
    return (
      <div className={classes.contents} aria-busy={query.isPlaceholderData || undefined}>
        {children(query.data)}
      </div>
    )
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />
  return <Waiting {...(lines !== undefined && { lines })} />
}
