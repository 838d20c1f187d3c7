import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type PackageItem, previewPackageItem } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { ContentFrame } from '../../parts/content-frame.tsx'
import { ExternalLink, RotateCcw } from '../../parts/icons.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { itemsAround, needsOwnWindow, titleOf } from './items.ts'
import classes from './unit-preview.module.css'
import { packageWords } from './words.ts'

const { preview: say } = packageWords

interface UnitPreviewProps {
  readonly packageId: string
  readonly position: number
}

/** Starts a unit of a package for an author, and shows it. What it reports counts for nothing. */
export function UnitPreview({ packageId, position }: UnitPreviewProps) {
  const items = useQuery(itemsAround(packageId, position))
  return (
    <Loaded query={items}>
      {({ docs }) => {
        const item = docs.find((one) => one.position === position)
        if (!item) return <Text>{say.missing}</Text>
        if (item.kind === 'block') return <Text>{say.group}</Text>
        return <Launch key={`${packageId} ${position}`} packageId={packageId} item={item} />
      }}
    </Loaded>
  )
}

function Launch({ packageId, item }: { readonly packageId: string; readonly item: PackageItem }) {
  // The address of a launch works once, so it is neither kept nor requested again by the browser's focus.
  const launch = useQuery({
    ...query(previewPackageItem, { packageId, item: item.position }),
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0, retry: false },
    ...{ refetchOnWindowFocus: false, refetchOnReconnect: false },
  })
  const [state, setState] = useState<'open' | 'opened' | 'finished'>('open')
  const isAlone = needsOwnWindow(item)
  const restart = async () => {
    await launch.refetch()
    setState('open')
  }
  if (launch.isError) return <Problem title={say.failed} error={launch.error} onRetry={() => void launch.refetch()} />
  return (
    <Loaded query={launch}>
      {({ url }) => (
        <Stack>
          {state === 'finished' && <Alert role="status">{say.finished}</Alert>}
          {isAlone && <Text>{state === 'open' ? say.ownWindow : say.opened}</Text>}
          <Group>
            {isAlone && state === 'open' && (
              <Button
                component="a"
                href={url}
                target="_blank"
                rel="noopener noreferrer"
                leftSection={<ExternalLink size={16} aria-hidden />}
                // After the click, because the browser has to follow the link first.
                onClick={() => setTimeout(() => setState('opened'))}
              >
                {say.open}
              </Button>
            )}
            {(!isAlone || state !== 'open') && (
              <Button
                variant="default"
                size="xs"
                leftSection={<RotateCcw size={14} aria-hidden />}
                loading={launch.isFetching}
                onClick={() => void restart()}
              >
                {say.again}
              </Button>
            )}
          </Group>
          {!isAlone && state !== 'finished' && (
            <div className={classes.box}>
              <ContentFrame key={url} url={url} title={titleOf(item)} onFinished={() => setState('finished')} />
            </div>
          )}
        </Stack>
      )}
    </Loaded>
  )
}
