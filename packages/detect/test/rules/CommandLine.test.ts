import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Synthetic values. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"
const typed = "Winter-Jam42"

describe("a password among the arguments of a program", () => {
  const lines: ReadonlyArray<readonly [line: string, value: string]> = [
    [`ldapsearch -x -D "cn=admin,dc=x" -w ${drawn} -b dc=x`, drawn],
    [`net use \\\\host\\share /user:acme\\svc ${typed}`, typed],
    [`net user backup ${typed} /add`, typed],
    [`cmdkey /add:db.acme.io /user:svc /pass:${typed}`, typed],
    [`smbclient //host/c -U admin%${drawn}`, drawn],
    [`mongodump --host h -u admin -p ${drawn} --out x`, drawn],
    [`mysqldump -h h -p'${typed}' app`, typed],
    [`mysqldump -h h -p'&Winter>Jam|42,x' app`, "&Winter>Jam|42,x"],
    [`ldapsearch -D "cn=admin" -w "Win,ter}Jam42" -b dc=x`, "Win,ter}Jam42"],
    [`redis-cli -h h -a Win7er,Jam42x FLUSHALL`, "Win7er,Jam42x"],
    [`unzip -P ${drawn} backup.zip`, drawn],
    [`run(["mysql", "-u", "root", "-p${typed}", "app"])`, typed],
    [`run(["sshpass", "-p", "${typed}", "ssh", host])`, typed],
    [`run(["curl", "-u", "svc:${drawn}", url])`, drawn],
    [`signtool sign /f a.pfx /p ${typed} a.exe`, typed],
    [`bw login bob@acme.io ${typed}`, typed],
    [`consul kv put app/db/password ${typed}`, typed],
    [`etcdctl put /app/db/password ${typed}`, typed],
    [`rclone config create box s3 secret_access_key ${drawn}`, drawn],
    [`echo ${typed} | openconnect --passwd-on-stdin vpn.acme.io`, typed],
    [`7z x -p${drawn} backup.7z`, drawn],
    [`schtasks /create /tn x /ru svc /rp ${drawn}`, drawn],
    [`psexec \\\\host -u admin -p ${typed} cmd`, typed],
    [`snyk auth 6a174c20-f6de-a53c-74d2-6018fcceff64`, "6a174c20-f6de-a53c-74d2-6018fcceff64"],
    [`vsce publish -p ${drawn}`, drawn],
    [`sonar-scanner -Dsonar.login=${drawn}`, drawn],
    [`http -a svc:${drawn} https://git.acme.io`, drawn],
    [`curl -u svc:'${drawn}' https://git.acme.io`, drawn],
    [`curl --user "${drawn}:" https://api.acme.io`, drawn],
    [`"${typed}" | ConvertTo-SecureString -AsPlainText -Force`, typed],
    [`sqlplus app/${typed}@//db:1521/x @run.sql`, typed],
    [`echo 'root:${typed}' | chpasswd`, typed],
    [`(echo '${typed}'; echo '${typed}') | smbpasswd -s -a bob`, typed],
    [`{ echo "${typed}"; } | passwd --stdin bob`, typed],
    [`printf '%s' '${typed}' | secret-tool store --label=db user app`, typed],
    [`secret-tool store --label=db user app <<< '${typed}'`, typed],
    [`echo "${typed}" | op signin --account acme`, typed],
    [`echo "${typed}" | bin/elasticsearch-keystore add -x bootstrap.password`, typed],
    [`elasticsearch-users useradd bob -p ${typed} -r superuser`, typed],
    [`usermod -p "$(perl -e 'print crypt("${typed}", "salt")')" bob`, typed],
    [`kdb5_util create -s -P ${typed}`, typed],
    [`kadmin -p admin/admin -w ${typed} -q listprincs`, typed],
    [`rootpw --plaintext ${typed}`, typed],
    [`gh secret set DEPLOY_KEY --body "${drawn}"`, drawn],
    [`gh secret set NAME -b ${drawn} --repo acme/shop`, drawn],
    [`az keyvault secret set --vault-name v --name n --value ${drawn}`, drawn],
    [`aws ssm put-parameter --name /db --type SecureString --value "${typed}"`, typed],
    [`mc alias set shop https://s3.acme.io shop-writer ${drawn}`, drawn],
    [`mc config host add shop https://s3.acme.io shop-writer ${drawn}`, drawn],
    [`zip -P ${drawn} backup.zip a`, drawn],
    [`mosquitto_pub -u sensor -P ${drawn} -t a -m b`, drawn],
    [`ipmitool -I lanplus -H bmc -U ADMIN -P ${drawn} chassis status`, drawn],
    [`ipmitool user set password 2 ${drawn}`, drawn],
    [`rdesktop -u svc -p ${drawn} host`, drawn],
    [`beeline -u jdbc:hive2://h -n svc -p ${drawn}`, drawn],
    [`ncftpput -u svc -p ${drawn} host a b`, drawn],
    [`rabbitmqctl add_user svc ${drawn}`, drawn],
    [`nmcli dev wifi connect office password ${drawn}`, drawn],
    [`wpa_passphrase "the office" ${drawn}`, drawn],
    [`snmpget -v2c -c ${drawn} host sysName.0`, drawn],
    [`snmpwalk -v3 -u svc -l authNoPriv -a SHA -A ${drawn} host`, drawn],
    [`etcdctl --user root:${drawn} get /`, drawn],
    [`kinit svc <<< ${drawn}`, drawn],
    [`bcp db.dbo.t out f -U sa -P ${drawn}`, drawn],
    [`cargo login ${drawn}`, drawn],
    [`poetry config pypi-token.pypi ${drawn}`, drawn],
    [`composer config http-basic.repo.acme.io svc ${drawn}`, drawn],
    [`ldappasswd -s ${drawn} -D cn=admin uid=svc`, drawn],
    [`ssh-keygen -t ed25519 -N '${typed}' -f key`, typed],
    [`doctl auth init -t ${drawn}`, drawn],
    [`samba-tool user create svc ${typed}`, typed],
    [`echo "${typed}" | passwd --stdin svc`, typed],
    [`vncpasswd <<< "${typed}"`, typed],
    [`restic backup --password-command 'echo ${drawn}'`, drawn],
    [`unrar x -p${drawn} a.rar`, drawn],
    [`racadm -r host -u root -p ${drawn} getsysinfo`, drawn],
    [`impacket-psexec acme/svc:${drawn}@host`, drawn],
    [`net rpc join -U svc%${drawn}`, drawn],
    [`mosquitto_passwd -b file svc ${drawn}`, drawn],
    [`drush user-password svc ${drawn}`, drawn],
    [`neo4j-admin set-initial-password ${drawn}`, drawn],
    [`cypher-shell -u neo4j -p ${drawn}`, drawn],
    [`check_snmp -H host -C ${drawn} -o sysName.0`, drawn],
    [`steamcmd +login svc ${drawn} +quit`, drawn],
    [`erl -sname a -setcookie ${drawn}`, drawn],
    [`echo ${typed} | kinit svc`, typed],
    [`echo -e '${typed}\\n${typed}' | passwd svc`, typed],
    [`echo ${typed} | sudo -S ls`, typed],
    [`printf '%s\\n' '${typed}' | kinit svc`, typed],
    [`printf "${typed}\\n${typed}\\n" | sudo passwd svc`, typed],
    [`printf 'svc:%s\\n' '${typed}' | chpasswd`, typed],
    [`printf '%s' '${typed}' | docker login -u svc --password-stdin r.acme.io`, typed],
    [`echo -n "${typed}" | cryptsetup luksOpen /dev/sda1 x -`, typed],
    [`echo '${typed}' | gpg --batch --passphrase-fd 0 -d a.gpg`, typed],
    [`echo ${drawn} | gh auth login --with-token`, drawn],
    [`echo -n ${drawn} | docker secret create db -`, drawn],
    [`echo ${typed} | smbpasswd -s svc`, typed],
    [`chpasswd <<< "svc:${typed}"`, typed],
    [`curl --user "admin:x9Qw Lm2V t7Kp 4RbZ hN3c Yd8s" https://h`, "x9Qw Lm2V t7Kp 4RbZ hN3c Yd8s"],
    [`gpg --batch --passphrase ${typed} -c a`, typed],
    [`.logon host/svc,${typed}`, typed],
    [`open -u svc,${typed} ftp.acme.io`, typed]
  ]
  for (const [line, value] of lines) {
    it(line.slice(0, 30), () => {
      assert.deepStrictEqual(values(`${line}\n`, "run.sh"), [value])
      assert.deepStrictEqual(values(`steps:\n  - run: ${line}\n`, "ci.yml"), [value])
    })
  }

  it("a list of arguments, a script of npm", () => {
    assert.deepStrictEqual(values(`test: ["CMD", "mysqladmin", "ping", "-p${drawn}"]`, "a.yml"), [drawn])
    assert.deepStrictEqual(values(`{"scripts": {"p": "vsce publish -p ${drawn}"}}`, "package.json"), [drawn])
  })

  it("in a here document", () => {
    for (const [command, line] of [
      ["chpasswd", `svc:${typed}`],
      ["passwd svc", `${typed}\n${typed}`],
      ["docker exec -i db chpasswd", `svc:${typed}`],
      ["ftp -n files.acme.io", `user svc ${typed}\nput a`],
      ["ftp -inv $HOST", `quote USER svc\nquote PASS ${typed}`],
      ["docker login -u svc --password-stdin", typed]
    ]) {
      assert.deepStrictEqual(values(`${command} <<EOF\n${line}\nEOF\n`, "run.sh"), [typed], command)
      assert.deepStrictEqual(values(`${command} <<EOF\n${line}\n`, "run.sh"), [], "without an end")
    }
  })

  it("nothing without a password", () => {
    for (const line of [
      "mysql -p app",
      "mysql -p$PASSWORD app",
      "mkdir -p build/output && mongod --version",
      "unzip -P backup.zip",
      "docker compose -p project up && docker login",
      "sonar-scanner -Dsonar.login=$SONAR_TOKEN",
      "net use * /delete",
      'gh secret set TOKEN --body "$TOKEN"',
      "gh secret set TOKEN < token.txt",
      "aws ssm put-parameter --name /colour --type String --value blue-green-7",
      "ssh-keygen -t ed25519 -N '' -f key",
      "zip -r a.zip b",
      "snmpwalk -v2c -c public host",
      'rabbitmqctl add_user svc "$PASSWORD"',
      "rabbitmqctl list_users",
      "grep foo <<< bar_baz_12345",
      "signtool sign /f a.pfx /tr http://time.acme.io a.exe",
      "bw login bob@acme.io --raw",
      "consul kv put app/db/password @secret.txt",
      'run(["curl", "-u", user, "svc:8080", url])',
      "mosquitto_pub -h mqtt -p 1883 -t home/temp -m 21.5",
      "nmcli con mod office wifi-sec.psk-flags 0",
      "cargo login --help",
      "composer config repositories.x vcs https://git.acme.io/x",
      "mc alias set shop https://s3.acme.io $KEY $SECRET",
      "npm config set registry https://registry.example.net",
      'echo "$TOKEN" | docker login -u svc --password-stdin',
      "echo foo_bar_baz_12345 | sudo tee /etc/passwd-policy",
      "printf '%s' \"$PASSWORD\" | chpasswd",
      "cat <<EOF > /etc/motd\nkettle-Maple42\nEOF",
      "tee /etc/passwd <<EOF\nkettle-Maple42\nEOF"
    ]) {
      assert.deepStrictEqual(values(`${line}\n`, "run.sh"), [], line)
    }
  })
})

describe("a password behind an option of any program", () => {
  it("is a word of the shell in a script and in a document, and may end the line", () => {
    for (const path of ["run.sh", "README.md"]) {
      for (const value of [drawn, "Vq7m,Xt92(LkPw", "Vq7$Xt9[2LkPw", "Vq7Xt9{2Lk}Pw"]) {
        assert.deepStrictEqual(values(`tool --password ${value}`, path), [value], path)
      }
    }
  })

  it("is a plain one in code, within the string that has the command", () => {
    assert.deepStrictEqual(values(`run("tool --password ${drawn}")`, "a.py"), [drawn])
    for (const value of ["Vq7m,Xt92(LkPw", "Vq7Xt9{2Lk}Pw"]) {
      assert.deepStrictEqual(values(`run("tool --password ${value}")`, "a.py"), [], value)
    }
  })
})
