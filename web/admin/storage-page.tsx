import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { listOrganisationStorage, type OrganisationStorage, setFileLimit } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Bar } from '../parts/bar.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { HardDrive } from '../parts/icons.tsx'
import { notify } from '../parts/notify.tsx'
import { NumberField } from '../parts/number-field.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { only } from '../parts/search.ts'
import { SearchField } from '../parts/search-field.tsx'
import { useSort } from '../parts/sorted.ts'
import { Empty, Problem } from '../parts/states.tsx'
import { sayBytes } from '../parts/time.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import { words } from '../parts/words.ts'
import { adminWords } from './words.ts'

const { storage: say } = adminWords
const route = getRouteApi('/signed-in/admin/storage')
const GIB = 2 ** 30
/** The largest limit that the platform accepts. */
const MOST_GIB = 2 ** 20
/** From this share on, an organisation is about to run out of storage. */
const ALMOST = 0.9

/** Shows what organisations store, and sets their limits. */
export function StoragePage() {
  const { query: typed, page = 1, sort: sortBy } = route.useSearch()
  const sort = useSort('-used')
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().storage)
  const [changed, setChanged] = useState<OrganisationStorage>()
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Group mb="md">
        <SearchField
          label={say.find}
          value={typed}
          onChange={(query) => void navigate({ search: only({ query, sort: sortBy }), replace: true })}
        />
      </Group>
      <PagedList
        query={list}
        page={page}
        onPage={(next) => void navigate({ search: only({ query: typed, page: next, sort: sortBy }) })}
        empty={<Empty icon={HardDrive} title={typed === undefined ? say.empty : words.form.nothing} />}
      >
        {(docs) => (
          <Rows
            label={say.title}
            head={[
              { title: say.organisation, sort: 'name' },
              { title: say.used, sort: 'used' },
              say.files,
              say.packages,
              say.limit,
              say.actions,
            ]}
            sort={sort}
            minWidth={760}
          >
            {docs.map((one) => (
              <StorageRow key={one.organisation} storage={one} onChange={() => setChanged(one)} />
            ))}
          </Rows>
        )}
      </PagedList>
      <Dialog
        isOpen={changed !== undefined}
        onClose={() => setChanged(undefined)}
        title={changed === undefined ? say.change : say.changeOf(changed.name)}
      >
        {changed && <LimitForm storage={changed} onClose={() => setChanged(undefined)} />}
      </Dialog>
    </>
  )
}

interface StorageRowProps {
  readonly storage: OrganisationStorage
  readonly onChange: () => void
}

const StorageRow = ({ storage, onChange }: StorageRowProps) => {
  const { organisation, name, usedBytes, limitBytes, ownLimit, files, packages } = storage
  const share = limitBytes === 0 ? Number(usedBytes > 0) : usedBytes / limitBytes
  return (
    <Row
      cells={[
        <Stack key="name" gap={2}>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {organisation}
          </Text>
        </Stack>,
        <Stack key="used" gap={4} align="flex-start">
          <Text size="sm">{say.usedOf(sayBytes(usedBytes), sayBytes(limitBytes))}</Text>
          <Bar share={share} />
          {share >= ALMOST && <Badge color="red">{say.full}</Badge>}
        </Stack>,
        files.toLocaleString('en'),
        packages.toLocaleString('en'),
        <Badge key="limit" color={ownLimit ? 'sky' : 'gray'}>
          {ownLimit ? say.own : say.usual}
        </Badge>,
        <Button key="change" size="compact-sm" variant="subtle" onClick={onChange} aria-label={say.changeOf(name)}>
          {say.change}
        </Button>,
      ]}
    />
  )
}

interface LimitFormProps {
  readonly storage: OrganisationStorage
  readonly onClose: () => void
}

function LimitForm({ storage: { organisation, name, limitBytes, ownLimit }, onClose }: LimitFormProps) {
  const set = useWrite(setFileLimit, {
    changes: [listOrganisationStorage],
    onDone: (usage) => {
      notify(say.changed(name, sayBytes(usage.limitBytes)))
      onClose()
    },
  })
  const fields = useForm<{ gigabytes: number | '' }>({
    initialValues: { gigabytes: ownLimit ? Number((limitBytes / GIB).toFixed(3)) : '' },
    validate: {
      gigabytes: (value) => (value === '' || (value >= 0 && value <= MOST_GIB) ? null : say.wrong),
    },
  })
  useUnsaved(() => fields.isDirty())
  return (
    <form
      noValidate
      onSubmit={fields.onSubmit(({ gigabytes }) =>
        set.mutate({ organisation, ...(gigabytes === '' ? {} : { limitBytes: Math.round(gigabytes * GIB) }) }),
      )}
    >
      <Stack>
        {set.error && <Problem title={say.failed} error={set.error} />}
        <Text size="sm">{say.changeText}</Text>
        <NumberField
          label={say.gigabytes}
          description={say.gigabytesHelp}
          min={0}
          inputMode="decimal"
          {...fields.getInputProps('gigabytes')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={set.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
