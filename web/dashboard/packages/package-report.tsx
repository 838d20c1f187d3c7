import { Alert, List, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ContentPackage } from '../../api/operations.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { sayBytes } from '../../parts/time.tsx'
import { packageWords as say } from './words.ts'

/** A package, with what was tolerated in it. */
export type ReportedPackage = ContentPackage & {
  readonly notes?: readonly { readonly pointer: string; readonly message: string }[]
}

export const sayKind = ({ kind }: Pick<ContentPackage, 'kind'>): string => say.kinds[kind] ?? kind

/** Says how many lessons and groups a package has. */
export const sayContents = ({ units, blocks }: Pick<ContentPackage, 'units' | 'blocks'>): string =>
  [say.lessons(units), blocks > 0 && say.groups(blocks)].filter(Boolean).join(', ')

/** Tells what was found in a package that was uploaded or chosen. */
export function PackageReport({ data }: { readonly data: ReportedPackage }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that was pressed is gone; without the focus here, screen readers would not notice the report.
  useEffect(() => heading.current?.focus(), [])
  return (
    <Stack gap="sm">
      <Title order={3} ref={heading} tabIndex={-1}>
        {say.report.found(data.title)}
      </Title>
      <Facts>
        <Fact name={say.standard}>{sayKind(data)}</Fact>
        <Fact name={say.contents}>{sayContents(data)}</Fact>
        <Fact name={say.file}>{data.name}</Fact>
        <Fact name={say.size}>
          {sayBytes(data.bytes)} · {say.stored(sayBytes(data.storedBytes))}
        </Fact>
      </Facts>
      <PackageNotes data={data} />
    </Stack>
  )
}

/** Lists what was tolerated in a package. Renders nothing if nothing was. */
export function PackageNotes({ data: { notes = [] } }: { readonly data: ReportedPackage }) {
  if (notes.length === 0) return null
  return (
    <Alert color="yellow" title={say.report.tolerated}>
      <Text size="sm">{say.report.toleratedText}</Text>
      <List size="sm" mt="xs">
        {notes.map(({ pointer, message }) => (
          <List.Item key={`${pointer} ${message}`}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
