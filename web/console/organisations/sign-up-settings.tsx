import { Button, Group, Input, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type OrganisationSignUp, readSignUpSettings, setSignUpSettings } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Copied } from '../../parts/copied.tsx'
import { notify } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'

const { organisation: say } = consoleWords
const { form: sayForm } = words

/** Opens an organisation for sign-up by e-mail domain or by code, or closes it. */
export function SignUpSettings({
  organisation,
  onClose,
}: {
  readonly organisation: string
  readonly onClose: () => void
}) {
  const found = useQuery(query(readSignUpSettings, { organisation }))
  return <Loaded query={found}>{(settings) => <SettingsForm settings={settings} onClose={onClose} />}</Loaded>
}

function SettingsForm({ settings, onClose }: { readonly settings: OrganisationSignUp; readonly onClose: () => void }) {
  const { organisation, domains, code, url, canSend } = settings
  const save = useWrite(setSignUpSettings, { changes: [readSignUpSettings], onDone: () => notify(say.signUpSaved) })
  const form = useForm({ mode: 'uncontrolled', initialValues: { domains: domains.join('\n') } })
  useUnsaved(() => form.isDirty())
  const setCode = (next: 'new' | 'none') => save.mutate({ organisation, code: next })
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) =>
        save.mutate(
          { organisation, domains: values.domains.split(/[\s,;]+/).filter((domain) => domain !== '') },
          { onSuccess: onClose },
        ),
      )}
    >
      <Stack>
        {save.error && <Problem title={say.signUpFailed} error={save.error} />}
        <Text size="sm">{say.signUpText}</Text>
        {domains.length === 0 && code === null ? (
          <Text size="sm">{say.signUpClosed}</Text>
        ) : (
          <Input.Wrapper label={say.signUpPage} labelElement="div">
            <Copied value={url} what={say.signUpPage} />
          </Input.Wrapper>
        )}
        {!canSend && <Text size="sm">{say.signUpNoMail}</Text>}
        <Input.Wrapper label={say.signUpCode} labelElement="div" description={say.signUpCodeHelp}>
          <Group mt={4}>
            {code === null ? <Text size="sm">{say.signUpNoCode}</Text> : <Copied value={code} what={say.signUpCode} />}
            <Button variant="default" size="xs" loading={save.isPending} onClick={() => setCode('new')}>
              {code === null ? say.signUpNewCode : say.signUpOtherCode}
            </Button>
            {code !== null && (
              <Button variant="default" size="xs" loading={save.isPending} onClick={() => setCode('none')}>
                {say.signUpDropCode}
              </Button>
            )}
          </Group>
        </Input.Wrapper>
        <Textarea
          label={say.signUpDomains}
          description={say.signUpDomainsHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          key={form.key('domains')}
          {...form.getInputProps('domains')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {sayForm.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
