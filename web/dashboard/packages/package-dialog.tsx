import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ContentPackage, listPackages } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Package } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { Pager } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { sayBytes } from '../../parts/time.tsx'
import { PackageReport, type ReportedPackage, sayContents, sayKind } from './package-report.tsx'
import { PackageUpload } from './package-upload.tsx'
import { packageWords as say } from './words.ts'

interface ChooserProps {
  readonly organisation: string
  /** Explains the effect of choosing a package. */
  readonly text: string
  /** Label of the button that does it. */
  readonly go: string
  /** Packages that cannot be chosen again. */
  readonly taken: readonly string[]
  readonly isPending: boolean
  readonly error: Error | null
  /** Title of the error. */
  readonly failed: string
  readonly onGo: (chosen: ContentPackage) => void
  /** Called when another package is to be chosen. */
  readonly onReset: () => void
}

interface PackageDialogProps extends ChooserProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** A dialog in which an author uploads a package or chooses one of the organisation, and sees what it contains. */
export const PackageDialog = ({ title, isOpen, onClose, ...rest }: PackageDialogProps) => (
  <Dialog isOpen={isOpen} onClose={onClose} title={title} isWide>
    <Chooser {...rest} />
  </Dialog>
)

function Chooser({ organisation, text, go, taken, isPending, error, failed, onGo, onReset }: ChooserProps) {
  const [chosen, setChosen] = useState<ReportedPackage>()
  // Kept here, so that the list stays where it was when another package is chosen.
  const [listed, setListed] = useState<Listed>({ page: 1 })
  if (!chosen)
    return (
      <Stack>
        <PackageUpload organisation={organisation} onUploaded={setChosen} />
        <PackageList
          organisation={organisation}
          taken={taken}
          listed={listed}
          onList={setListed}
          onChoose={setChosen}
        />
      </Stack>
    )
  const isTaken = taken.includes(chosen.packageId)
  return (
    <Stack>
      {error && <Problem title={failed} error={error} />}
      <PackageReport data={chosen} />
      <Text size="sm">{isTaken ? say.choose.isInCourse : text}</Text>
      <Group justify="flex-end">
        <Button
          variant="default"
          onClick={() => {
            setChosen(undefined)
            onReset()
          }}
        >
          {say.choose.other}
        </Button>
        <Button loading={isPending} disabled={isTaken} onClick={() => onGo(chosen)}>
          {go}
        </Button>
      </Group>
    </Stack>
  )
}

const PER_PAGE = 10

/** The part of the list that is shown. */
interface Listed {
  readonly page: number
  readonly search?: string | undefined
}

interface PackageListProps {
  readonly organisation: string
  readonly taken: readonly string[]
  readonly listed: Listed
  readonly onList: (listed: Listed) => void
  readonly onChoose: (chosen: ContentPackage) => void
}

function PackageList({ organisation, taken, listed: { page, search }, onList, onChoose }: PackageListProps) {
  const list = useQuery({
    ...query(listPackages, { organisation, page, limit: PER_PAGE, ...(search !== undefined && { query: search }) }),
    placeholderData: keepPreviousData,
  })
  // A search field over nothing would only be in the way.
  if (search === undefined && list.data?.total === 0) return null
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>{say.choose.existing}</Title>
        <SearchField label={say.search} value={search} onChange={(value) => onList({ page: 1, search: value })} />
      </Group>
      <Loaded query={list}>
        {({ docs, pages, total }) =>
          docs.length === 0 ? (
            <Empty icon={Package} title={say.nothing}>
              {say.nothingText}
            </Empty>
          ) : (
            <>
              <Items label={say.title}>
                {docs.map((one) => (
                  <Item
                    key={one.packageId}
                    title={one.title}
                    sub={[sayKind(one), sayContents(one), sayBytes(one.bytes)].join(' · ')}
                    action={
                      taken.includes(one.packageId) ? (
                        <Text size="sm" c="dimmed">
                          {say.choose.isInCourse}
                        </Text>
                      ) : (
                        <Button
                          size="xs"
                          variant="default"
                          aria-label={say.choose.chooseNamed(one.title)}
                          onClick={() => onChoose(one)}
                        >
                          {say.choose.use}
                        </Button>
                      )
                    }
                  />
                ))}
              </Items>
              <Pager page={page} pages={pages} total={total} onChange={(next) => onList({ page: next, search })} />
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}
