import { Box, Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { checkProof, ProofField, proofOf } from '../security/proof-field.tsx'
import { deleteAccount, exportEverything, type Settings } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Bar } from '../../parts/bar.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { sayBytes } from '../../parts/time.tsx'
import { accountWords } from '../words.ts'

const route = getRouteApi('/signed-in/account/data')
const { data: say } = accountWords

/** Shows the person how much they store, and lets them download all of their data and delete their account. */
export function DataPage() {
  const settings = useQuery(route.useLoaderData().settings)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={settings}>
        {(person) => (
          <Stack gap="lg">
            <Storage person={person} />
            <Download person={person} />
            <Delete person={person} />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

interface SettingsProps {
  readonly person: Settings
}

function Storage({ person: { storage } }: SettingsProps) {
  const { usedBytes, limitBytes } = storage
  return (
    <Card title={say.storage}>
      <Stack gap="xs">
        <Text size="sm">
          {limitBytes === null ? say.used(sayBytes(usedBytes)) : say.usedOf(sayBytes(usedBytes), sayBytes(limitBytes))}
        </Text>
        {limitBytes !== null && <Bar share={usedBytes / Math.max(1, limitBytes)} />}
        <Text size="sm" c="dimmed">
          {say.storageText}
        </Text>
      </Stack>
    </Card>
  )
}

const Lines = ({ lines }: { readonly lines: readonly string[] }) => (
  <List size="sm" spacing={4}>
    {lines.map((line) => (
      <List.Item key={line}>{line}</List.Item>
    ))}
  </List>
)

function Download({ person: { hasPassword } }: SettingsProps) {
  const form = useForm({ initialValues: { password: '' }, validate: { password: checkProof(hasPassword) } })
  const take = useWrite(exportEverything, {
    onDone: (file) => {
      form.reset()
      keep(file)
      notify(say.downloaded)
    },
  })
  return (
    <Card title={say.download}>
      <form noValidate onSubmit={form.onSubmit(({ password }) => take.mutate(proofOf(password)))}>
        <Stack>
          {take.error && <Problem title={say.downloadFailed} error={take.error} />}
          <Text size="sm">{say.downloadText}</Text>
          <Lines lines={say.inIt.map(({ text }) => text)} />
          <Box maw={420}>
            <ProofField form={form} hasPassword={hasPassword} />
          </Box>
          <Group>
            <Button type="submit" loading={take.isPending}>
              {say.downloadGo}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

/** Makes the browser download a file. */
function keep(file: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = say.file
  link.click()
  // Revoke the URL later: the browser may not have started to read the file yet.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

function Delete({ person }: SettingsProps) {
  const [isAsking, setAsking] = useState(false)
  if (person.hasParent)
    return (
      <Card title={say.delete}>
        <Text size="sm">{say.askParent}</Text>
      </Card>
    )
  return (
    <Card title={say.delete} isDanger>
      <Stack>
        <Text size="sm">{say.deleteText}</Text>
        <Title order={3}>{say.goes}</Title>
        <Lines lines={say.goesList} />
        <Title order={3}>{say.stays}</Title>
        <Lines lines={person.accountType === 'Parent' ? [...say.staysList, say.orphans] : say.staysList} />
        <Group>
          <Button color="red" onClick={() => setAsking(true)}>
            {say.deleteGo}
          </Button>
        </Group>
      </Stack>
      <AskToDelete person={person} isOpen={isAsking} onClose={() => setAsking(false)} />
    </Card>
  )
}

interface AskToDeleteProps extends SettingsProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

function AskToDelete({ person: { handle, hasPassword }, isOpen, onClose }: AskToDeleteProps) {
  const form = useForm({ initialValues: { password: '' }, validate: { password: checkProof(hasPassword) } })
  const remove = useWrite(deleteAccount, { onDone: () => location.replace('/account/signin?done=account-deleted') })
  return (
    <Confirm
      isOpen={isOpen}
      title={say.deleteTitle}
      go={say.deleteForGood}
      word={handle}
      proof={<ProofField form={form} hasPassword={hasPassword} />}
      isPending={remove.isPending}
      error={remove.error}
      onGo={form.onSubmit(({ password }) => remove.mutate({ handle, ...proofOf(password) }))}
      onClose={onClose}
    >
      {say.deleteConfirm(handle)}
    </Confirm>
  )
}
