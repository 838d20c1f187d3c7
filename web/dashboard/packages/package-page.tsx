import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { PackageDetails, PackageItem } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Download, Eye, Trash2 } from '../../parts/icons.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Loaded } from '../../parts/states.tsx'
import { sayBytes, Time } from '../../parts/time.tsx'
import treeClasses from '../progress/lesson-tree.module.css'
import { DeletePackage } from './delete-package.tsx'
import { sayToPass, titleOf } from './items.ts'
import { PackageNotes, sayContents, sayKind } from './package-report.tsx'
import { UsedIn } from './used-in.tsx'
import { packageWords as say } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/packages/$organisation/$packageId')

/** Shows a content package: where it is used, and the lessons that it contains. */
export function PackagePage() {
  const { organisation } = route.useParams()
  const found = useQuery(route.useLoaderData().package)
  const items = useQuery(route.useLoaderData().items)
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Loaded query={found}>
      {(data) => (
        <>
          <PageHead
            title={data.title}
            lead={`${sayKind(data)} · ${sayContents(data)}`}
            above={
              <TextLink to="/dashboard/packages/$organisation" params={{ organisation }} size="sm">
                {say.title}
              </TextLink>
            }
            action={
              <Button component="a" href={data.url} variant="default" leftSection={<Download size={16} aria-hidden />}>
                {say.lesson.download}
              </Button>
            }
          />
          <Stack gap="lg">
            <About data={data} />
            <Card title={say.items.title} isFlush>
              <Text size="sm" c="dimmed" px={20} pb="sm">
                {say.items.text}
              </Text>
              <Loaded query={items}>
                {({ docs, pages, total }) => (
                  <>
                    <ol className={treeClasses.tree}>
                      {docs.map((item) => (
                        <ItemRow key={item.position} data={data} item={item} />
                      ))}
                    </ol>
                    <Pager
                      page={page}
                      pages={pages}
                      total={total}
                      onChange={(next) => void navigate({ search: next > 1 ? { page: next } : {} })}
                    />
                  </>
                )}
              </Loaded>
            </Card>
          </Stack>
        </>
      )}
    </Loaded>
  )
}

function About({ data }: { readonly data: PackageDetails }) {
  const navigate = route.useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Card
      title={say.one}
      action={
        data.may.delete && (
          <Button
            size="xs"
            variant="default"
            color="red"
            leftSection={<Trash2 size={14} aria-hidden />}
            onClick={() => setDeleting(true)}
          >
            {say.remove.action}
          </Button>
        )
      }
    >
      <Stack>
        <Facts>
          <Fact name={say.file}>{data.name}</Fact>
          <Fact name={say.size}>
            {sayBytes(data.bytes)} · {say.stored(sayBytes(data.storedBytes))}
          </Fact>
          <Fact name={say.uploaded}>
            <Time at={data.createdDate} /> {data.author && say.by(data.author)}
          </Fact>
          <Fact name={say.usedIn}>
            <UsedIn data={data} />
          </Fact>
        </Facts>
        <PackageNotes data={data} />
      </Stack>
      <DeletePackage
        data={isDeleting ? data : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() =>
          void navigate({ to: '/dashboard/packages/$organisation', params: { organisation: data.organisation } })
        }
      />
    </Card>
  )
}

const ItemRow = ({ data, item }: { readonly data: PackageDetails; readonly item: PackageItem }) => (
  <li className={treeClasses.row} {...(item.parent !== null && { 'data-step': true })}>
    <div className={treeClasses.text}>
      <Text fw={item.kind === 'block' ? 600 : 400}>{titleOf(item)}</Text>
      <Text size="xs" c="dimmed">
        {item.kind === 'block' ? say.lesson.group : `${say.lesson.toPass}: ${sayToPass(item)}`}
      </Text>
    </div>
    {item.kind === 'unit' && (
      <Group className={treeClasses.action}>
        <ButtonLink
          size="xs"
          variant="default"
          leftSection={<Eye size={14} aria-hidden />}
          aria-label={say.lesson.previewOf(titleOf(item))}
          to="/dashboard/packages/$organisation/$packageId/preview/$item"
          params={{ organisation: data.organisation, packageId: data.packageId, item: String(item.position) }}
        >
          {say.lesson.preview}
        </ButtonLink>
      </Group>
    )}
  </li>
)
