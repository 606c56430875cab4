package io.mayflymq.server.auth.ldap.query;

import static org.assertj.core.api.Assertions.assertThat;

import javax.naming.ldap.LdapName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
  private static Template of(String text) throws QueryException {
    return Template.of(text, Variable.OF_TOPICS);
  }

  /** Read by the JDK, a name has the value that was put in, and nothing more. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ann",
        "a,ou=admins",
        "a+cn=b",
        "a\"b",
        "a\\b",
        "\\2c",
        "a;b<c>d",
        " a ",
        "#a",
        " ",
        "a=b",
        "Jürgen",
        "a\u0000b",
        "*)(uid=*",
      })
  void aValueStaysOneValueOfADistinguishedName(String value) throws Exception {
    String dn = of("uid=${username},ou=people,dc=example").fillDn(Subject.user(value));
    LdapName name = new LdapName(dn);
    assertThat(name.size()).isEqualTo(3);
    assertThat(name.getRdn(2).size()).isEqualTo(1);
    assertThat(name.getRdn(2).getValue()).isEqualTo(value);
  }

  @Test
  void aWholeNameStaysOne() throws Exception {
    Subject subject = Subject.user("cn=a,dc=b").with(Variable.USER_DN, "uid=ann,ou=people");
    assertThat(of("${username}").fillDn(subject)).isEqualTo("cn=a,dc=b");
    assertThat(of("${user_dn}").fillDn(subject)).isEqualTo("uid=ann,ou=people");
    assertThat(of("cn=x, ${user_dn}").fillDn(subject)).isEqualTo("cn=x, uid=ann,ou=people");
    assertThat(of("cn=${user_dn},dc=x").fillDn(subject)).isEqualTo("cn=uid=ann\\,ou=people,dc=x");
    assertThat(of("${username},dc=x").fillDn(subject)).isEqualTo("cn=a\\,dc=b,dc=x");
  }

  @Test
  void aNameForABindNeedNotBeADistinguishedOne() throws Exception {
    Subject subject = Subject.user("CORP\\ann,b");
    assertThat(of("${ad_user}@${ad_domain}.com").fillBindName(subject)).isEqualTo("ann,b@CORP.com");
    assertThat(of("cn=${ad_user},dc=x").fillBindName(subject)).isEqualTo("cn=ann\\,b,dc=x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn=${vhost}-users,ou=vhosts,dc=example | true",
        "${user_dn} | true",
        "${username} | true",
        "cn=a,${user_dn} | true",
        "staff | false",
        "${vhost}-users | false",
        "cn=a,,dc=b | false",
      })
  void whatCanBeNoDistinguishedNameIsKnownBefore(String text, boolean mayBe) throws Exception {
    assertThat(of(text).mayBeDn()).isEqualTo(mayBe);
  }

  @Test
  void aDollarSignAloneIsText() throws Exception {
    assertThat(of("$a {b} ${").fill(Subject.user("x"))).isEqualTo("$a {b} ${");
  }
}
