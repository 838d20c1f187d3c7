import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type ContentPackage, readPackage } from '../../api/operations.ts'
import { query, queryClient } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Download, EllipsisVertical, Package, PackagePlus, Trash2 } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notifyProblem } from '../../parts/notify.tsx'
import { useOrganisationNames } from '../../parts/organisation-names.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { Empty } from '../../parts/states.tsx'
import { sayBytes, Time } from '../../parts/time.tsx'
import { DeletePackage } from './delete-package.tsx'
import { PackageReport, type ReportedPackage, sayContents, sayKind } from './package-report.tsx'
import { PackageUpload } from './package-upload.tsx'
import { UsedIn } from './used-in.tsx'
import { packageWords as say } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/packages/$organisation')

/** Lists the content packages of an organisation. */
export function PackagesPage() {
  const { organisation } = route.useParams()
  const { page = 1, search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().packages)
  const nameOf = useOrganisationNames([organisation])
  const [isUploading, setUploading] = useState(false)
  const [removed, setRemoved] = useState<ContentPackage>()
  const upload = (
    <Button leftSection={<PackagePlus size={16} aria-hidden />} onClick={() => setUploading(true)}>
      {say.upload.title}
    </Button>
  )
  return (
    <>
      <PageHead title={say.title} lead={say.lead(nameOf(organisation))} action={upload} />
      <Filters
        fields={[{ name: 'search', label: say.search }]}
        values={{ search }}
        onChange={(values) => void navigate({ search: only(values) })}
      />
      <PagedList
        query={list}
        page={page}
        onPage={(next) => void navigate({ search: only({ search, page: next }) })}
        empty={
          search === undefined ? (
            <Empty icon={Package} title={say.none} action={upload}>
              {say.noneText}
            </Empty>
          ) : (
            <Empty icon={Package} title={say.nothing}>
              {say.nothingText}
            </Empty>
          )
        }
      >
        {(docs) => <PackageTable packages={docs} onDelete={setRemoved} />}
      </PagedList>
      <Dialog isOpen={isUploading} onClose={() => setUploading(false)} title={say.upload.title} isWide>
        <Upload organisation={organisation} onClose={() => setUploading(false)} />
      </Dialog>
      <DeletePackage data={removed} onClose={() => setRemoved(undefined)} />
    </>
  )
}

interface UploadProps {
  readonly organisation: string
  readonly onClose: () => void
}

function Upload({ organisation, onClose }: UploadProps) {
  const [found, setFound] = useState<ReportedPackage>()
  if (!found) return <PackageUpload organisation={organisation} onUploaded={setFound} />
  return (
    <Stack>
      <PackageReport data={found} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{say.upload.done}</Button>
      </Group>
    </Stack>
  )
}

/** Downloads the uploaded file. Its address is signed for a few hours, so it is read only now. */
async function download(packageId: string): Promise<void> {
  try {
    const { url } = await queryClient.fetchQuery(query(readPackage, { packageId }))
    location.assign(url)
  } catch (error) {
    notifyProblem((error as Error).message)
  }
}

interface PackageTableProps {
  readonly packages: readonly ContentPackage[]
  readonly onDelete: (one: ContentPackage) => void
}

const PackageTable = ({ packages, onDelete }: PackageTableProps) => (
  <Rows label={say.title} head={[say.one, say.contents, say.size, say.uploaded, say.usedIn]} hasActions minWidth={760}>
    {packages.map((one) => (
      <Row
        key={one.packageId}
        cells={[
          <div key="title">
            <TextLink
              to="/dashboard/packages/$organisation/$packageId"
              params={{ organisation: one.organisation, packageId: one.packageId }}
              style={{ overflowWrap: 'anywhere' }}
            >
              {one.title}
            </TextLink>
            <Text size="xs" c="dimmed">
              {sayKind(one)}
            </Text>
          </div>,
          sayContents(one),
          sayBytes(one.storedBytes),
          <div key="uploaded">
            <Time at={one.createdDate} />
            {one.author && (
              <Text size="xs" c="dimmed">
                {say.by(one.author)}
              </Text>
            )}
          </div>,
          <UsedIn key="used" data={one} />,
          <MenuButton
            key="actions"
            position="bottom-end"
            button={
              <ActionIcon variant="subtle" color="gray" aria-label={say.actionsOf(one.title)}>
                <EllipsisVertical size={16} aria-hidden />
              </ActionIcon>
            }
          >
            {(Menu) => (
              <>
                <Menu.Item
                  leftSection={<Download size={16} aria-hidden />}
                  onClick={() => void download(one.packageId)}
                >
                  {say.lesson.download}
                </Menu.Item>
                {one.may.delete && (
                  <Menu.Item color="red" leftSection={<Trash2 size={16} aria-hidden />} onClick={() => onDelete(one)}>
                    {say.remove.action}
                  </Menu.Item>
                )}
              </>
            )}
          </MenuButton>,
        ]}
      />
    ))}
  </Rows>
)
